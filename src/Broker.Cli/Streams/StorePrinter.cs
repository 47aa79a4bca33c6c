using System.Globalization;
using System.Text.Json;
using Broker.Cli.Shell;
using Broker.Streams;

namespace Broker.Cli.Streams;

/// <summary>Prints the findings of a verification or a repair.</summary>
internal static class StorePrinter
{
    /// <summary>Prints the streams of an account and all findings.</summary>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="report">The report.</param>
    /// <param name="stream">The only stream that is printed; null for all.</param>
    public static void Print(ShellStreams shell, StoreReport report, string? stream)
    {
        var lines = new LineOutput(shell);
        lines.Write(ValueText.Of(
            $"account {report.Account} in {report.Folder}: {ValueText.Count(report.Records, "whole record", "whole records")}, {ValueText.Bytes((ulong)report.BytesRead)} read"));
        lines.EndLine();
        foreach (StoreFinding finding in FindingsOf(report, stream))
        {
            lines.Write(ValueText.Of(string.Create(CultureInfo.InvariantCulture, $"{NameOf(finding.Kind)}: {finding.File} at {finding.Offset}, {finding.Length} bytes: {finding.Text}")));
            lines.EndLine();
        }

        lines.Flush();
        var table = new TextTable(1, "stream", "messages", "lost", "last sequence", "consumers");
        StreamReport[] streams = [.. StreamsOf(report, stream)];
        foreach (StreamReport row in streams)
        {
            table.Add(row.Name, Text(row.Messages), Text(row.Lost), row.LastSequence.ToString(CultureInfo.InvariantCulture), Text(row.Consumers));
        }

        if (streams.Length > 0)
        {
            table.WriteTo(shell);
        }
    }

    /// <summary>Prints a report as a JSON object on one line.</summary>
    public static void PrintJson(ShellStreams shell, StoreReport report, string? stream, params (string Name, bool Value)[] more) => ApiJson.Print(shell, json =>
    {
        json.Add("account", report.Account);
        json.Add("folder", report.Folder);
        json.WriteBoolean("damaged", report.IsDamaged);
        foreach ((string name, bool value) in more)
        {
            json.WriteBoolean(name, value);
        }

        json.Add("records", report.Records);
        json.Add("bytes_read", report.BytesRead);
        json.AddObjects("findings", [.. FindingsOf(report, stream)], Write);
        json.AddObjects("streams", [.. StreamsOf(report, stream)], static (inner, row) =>
        {
            inner.Add("name", row.Name);
            inner.Add("messages", row.Messages);
            inner.Add("bytes", row.Bytes);
            inner.Add("lost", row.Lost);
            inner.Add("last_seq", row.LastSequence);
            inner.Add("consumers", row.Consumers);
        });
    });

    // Findings that cannot be assigned to a stream can concern each of them.
    private static IEnumerable<StoreFinding> FindingsOf(StoreReport report, string? stream)
        => report.Findings.Where(finding => stream is null || finding.Streams.Count == 0 || finding.Streams.Contains(stream, StringComparer.Ordinal));

    private static IEnumerable<StreamReport> StreamsOf(StoreReport report, string? stream)
        => report.Streams.Where(row => stream is null || row.Name == stream);

    private static void Write(Utf8JsonWriter json, StoreFinding finding)
    {
        json.Add("kind", NameOf(finding.Kind));
        json.Add("file", finding.File);
        json.Add("offset", finding.Offset);
        json.Add("length", finding.Length);
        json.Add("most_records", finding.MostRecords);
        json.Add("streams", finding.Streams);
        json.AddObjects("lost", finding.Lost, static (inner, lost) =>
        {
            inner.Add("stream", lost.Stream);
            inner.Add("first_seq", lost.First);
            inner.Add("last_seq", lost.Last);
        });
        json.Add("text", finding.Text);
    }

    private static string NameOf(StoreFindingKind kind) => kind switch
    {
        StoreFindingKind.Damage => "damage",
        StoreFindingKind.Unfinished => "unfinished",
        _ => "notice",
    };

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
