using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Bench;

/// <summary>Prints the results as a table or as JSON, and writes them to a CSV file.</summary>
internal sealed class BenchReport : IDisposable
{
    private const int WidthOfServer = 28;
    private const int WidthOfNumber = 12;

    private readonly LineOutput _lines;
    private readonly BenchColumn[] _columns;
    private readonly bool _isJson;
    private readonly StreamWriter? _csv;
    private readonly BenchPlot? _plot;
    private readonly BenchSettings _settings;
    private readonly List<BenchResult> _results = [];

    private BenchReport(ShellStreams shell, BenchSettings settings, bool isJson, StreamWriter? csv, BenchPlot? plot)
    {
        _lines = new LineOutput(shell);
        _columns = BenchColumn.Of(settings.Pattern);
        _isJson = isJson;
        _csv = csv;
        _plot = plot;
        _settings = settings;
    }

    /// <summary>Creates the report. The head of the table follows with the first result.</summary>
    /// <exception cref="IOException">A file cannot be written.</exception>
    public static BenchReport Create(ShellStreams shell, BenchSettings settings, BenchOutputs outputs)
    {
        BenchPlot? plot = outputs.PlotFile is null ? null : BenchPlot.Create(outputs.PlotFile);
        StreamWriter? csv;
        try
        {
            csv = outputs.CsvFile is null ? null : OpenCsv(outputs.CsvFile);
        }
        catch (IOException)
        {
            plot?.Dispose();
            throw;
        }

        var report = new BenchReport(shell, settings, outputs.IsJson, csv, plot);
        report._csv?.WriteLine("server,round," + string.Join(',', report._columns.Select(static c => c.Name)));
        return report;
    }

    /// <summary>Prints a result at once.</summary>
    public void Add(BenchResult result)
    {
        if (_results.Count == 0 && !_isJson)
        {
            Print("server", _columns.Select(static c => c.Heading));
        }

        _results.Add(result);
        _csv?.WriteLine(string.Join(',', (IEnumerable<string>)[Quoted(result.Server), Text(result.Round), .. _columns.Select(c => Text(c.Value(result)))]));
        if (_isJson)
        {
            PrintJson(result);
        }
        else
        {
            Print(result.Server, _columns.Select(c => c.Shown(c.Value(result))));
        }
    }

    /// <summary>
    /// Writes the picture, prints the medians if there were several rounds, and compares the first server with the others.
    /// </summary>
    public void End()
    {
        _plot?.Write(_results, _settings);
        if (_isJson)
        {
            return;
        }

        IGrouping<string, BenchResult>[] servers = [.. _results.GroupBy(static r => r.Server, StringComparer.Ordinal)];
        foreach (IGrouping<string, BenchResult> server in servers.Where(static s => s.Count() > 1))
        {
            Print("median " + server.Key, _columns.Select(c => c.Shown(Median([.. server.Select(c.Value)]))));
        }

        foreach (IGrouping<string, BenchResult> other in servers.Skip(1))
        {
            double ratio = Rate(servers[0]) / Rate(other);
            _lines.Write(SafeText.OneLine(string.Create(
                CultureInfo.InvariantCulture, $"{servers[0].Key} has {ratio:N2} times the {_columns[0].Heading} of {other.Key}")));
            _lines.EndLine();
        }

        _lines.Flush();
    }

    public void Dispose()
    {
        _csv?.Dispose();
        _plot?.Dispose();
    }

    private static StreamWriter OpenCsv(string file)
    {
        try
        {
            return new StreamWriter(file, append: false, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { AutoFlush = true, NewLine = "\n" };
        }
        catch (UnauthorizedAccessException e)
        {
            throw new IOException(e.Message, e);
        }
    }

    private static double Median(double[] values)
    {
        Array.Sort(values);
        int half = values.Length / 2;
        return values.Length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    }

    private double Rate(IEnumerable<BenchResult> results) => Median([.. results.Select(_columns[0].Value)]);

    private static string Text(double value) => double.IsNaN(value) ? "" : Math.Round(value, 3).ToString(CultureInfo.InvariantCulture);

    private static string Quoted(string text) => text.AsSpan().IndexOfAny(",\"\n") < 0 ? text : $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    private void Print(string server, IEnumerable<string> cells)
    {
        _lines.Write(SafeText.OneLine(server).PadRight(WidthOfServer));
        foreach (string cell in cells)
        {
            _lines.Write(" " + cell.PadLeft(WidthOfNumber));
        }

        _lines.EndLine();
        _lines.Flush();
    }

    private void PrintJson(BenchResult result)
    {
        _lines.WriteJson(json =>
        {
            json.WriteStartObject();
            json.WriteString("server", result.Server);
            json.WriteNumber("round", result.Round);
            foreach (BenchColumn column in _columns)
            {
                Write(json, column.Name, column.Value(result));
            }

            json.WriteEndObject();
        });
        _lines.EndLine();
        _lines.Flush();
    }

    // JSON has no number for a missing value.
    private static void Write(Utf8JsonWriter json, string name, double value)
    {
        if (double.IsNaN(value))
        {
            json.WriteNull(name);
        }
        else
        {
            json.WriteNumber(name, Math.Round(value, 3));
        }
    }
}
