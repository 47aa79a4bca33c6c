using System.Globalization;
using OxyPlot;
using OxyPlot.Axes;
using OxyPlot.Legends;
using OxyPlot.Series;

namespace Broker.Cli.Bench;

/// <summary>
/// Draws the results as an SVG picture: the rate over the time of each round, or for requests the distribution of the
/// times. Each server has a colour.
/// </summary>
internal sealed class BenchPlot : IDisposable
{
    private const int Width = 860;
    private const int Height = 460;

    // More points do not make the line clearer, but the file larger.
    private const int MostPoints = 200;

    private const double Shortest = 0.05;

    private static readonly OxyColor Ink = OxyColor.FromRgb(0x33, 0x33, 0x33);
    private static readonly OxyColor Grid = OxyColor.FromRgb(0xE3, 0xE3, 0xE3);

    // Colours that people who see red and green alike can tell apart.
    private static readonly OxyColor[] Colours =
    [
        OxyColor.FromRgb(0x00, 0x72, 0xB2), OxyColor.FromRgb(0xD5, 0x5E, 0x00), OxyColor.FromRgb(0x00, 0x9E, 0x73),
        OxyColor.FromRgb(0xCC, 0x79, 0xA7), OxyColor.FromRgb(0xE6, 0x9F, 0x00), OxyColor.FromRgb(0x56, 0xB4, 0xE9),
    ];

    private readonly string _file;
    private FileStream? _stream;

    private BenchPlot(string file, FileStream stream)
    {
        _file = file;
        _stream = stream;
    }

    /// <summary>Opens the file before the measurement, so that a wrong path does not lose its results.</summary>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public static BenchPlot Create(string file)
    {
        try
        {
            return new BenchPlot(file, new FileStream(file, FileMode.Create, FileAccess.Write));
        }
        catch (UnauthorizedAccessException e)
        {
            throw new IOException(e.Message, e);
        }
    }

    /// <summary>Writes the picture and closes the file.</summary>
    public void Write(IReadOnlyList<BenchResult> results, BenchSettings settings)
    {
        PlotModel model = settings.Pattern == BenchPattern.Request ? Times(results) : Rates(results);
        model.Subtitle = Describe(settings);
        new SvgExporter { Width = Width, Height = Height, TextMeasurer = new PixelMeasurer(Width, Height) }.Export(model, _stream!);
        _stream!.Dispose();
        _stream = null;
    }

    /// <summary>Removes the file if the measurement has failed.</summary>
    public void Dispose()
    {
        if (_stream is not null)
        {
            _stream.Dispose();
            File.Delete(_file);
        }
    }

    private static string Describe(BenchSettings settings)
        => string.Create(CultureInfo.InvariantCulture, $"bodies of {settings.Size} bytes, {Count(settings.Publishers, "sender")}, {Count(settings.Subscribers, "receiver")}");

    private static string Count(int number, string what) => string.Create(CultureInfo.InvariantCulture, $"{number} {what}{(number == 1 ? "" : "s")}");

    private static PlotModel Rates(IReadOnlyList<BenchResult> results)
    {
        PlotModel model = NewModel("Messages sent per second");
        model.Axes.Add(NewAxis(new LinearAxis { Position = AxisPosition.Left, Minimum = 0, StringFormat = "#,0" }, "messages/s"));
        model.Axes.Add(NewAxis(new LinearAxis { Position = AxisPosition.Bottom, Minimum = 0 }, "seconds"));
        foreach ((string server, OxyColor colour, BenchResult[] rounds) in Servers(results))
        {
            foreach (BenchResult round in rounds)
            {
                LineSeries line = NewLine(round == rounds[0] ? server : null, colour);
                line.Points.AddRange(RatesOf(round));
                // A single point has no line.
                line.MarkerType = line.Points.Count == 1 ? MarkerType.Circle : MarkerType.None;
                line.MarkerFill = colour;
                model.Series.Add(line);
            }
        }

        return model;
    }

    private static PlotModel Times(IReadOnlyList<BenchResult> results)
    {
        string[] names = ["50 %", "90 %", "99 %", "99.9 %", "all"];
        PlotModel model = NewModel("Time within which a share of the replies came");
        model.Axes.Add(NewAxis(new LogarithmicAxis { Position = AxisPosition.Left, StringFormat = "#,0" }, "µs"));
        var shares = new CategoryAxis { Position = AxisPosition.Bottom };
        shares.Labels.AddRange(names);
        model.Axes.Add(NewAxis(shares, "share of the replies"));
        foreach ((string server, OxyColor colour, BenchResult[] rounds) in Servers(results))
        {
            foreach (BenchResult round in rounds.Where(static round => round.Times is not null))
            {
                LineSeries line = NewLine(round == rounds[0] ? server : null, colour);
                line.MarkerType = MarkerType.Circle;
                line.MarkerFill = colour;
                BenchTimes times = round.Times!;
                line.Points.AddRange(((double[])[times.P50, times.P90, times.P99, times.P999, times.Longest]).Select(static (time, at) => new DataPoint(at, time)));
                model.Series.Add(line);
            }
        }

        return model;
    }

    private static IEnumerable<(string Server, OxyColor Colour, BenchResult[] Rounds)> Servers(IEnumerable<BenchResult> results)
        => results.GroupBy(static r => r.Server, StringComparer.Ordinal).Select(static (rounds, at) => (rounds.Key, Colours[at % Colours.Length], rounds.ToArray()));

    private static IEnumerable<DataPoint> RatesOf(BenchResult round)
    {
        IReadOnlyList<BenchMoment> all = round.Moments;
        int step = Math.Max(1, all.Count / MostPoints);
        for (int i = step; i < all.Count; i += step)
        {
            double seconds = System.Diagnostics.Stopwatch.GetElapsedTime(all[i - step].Time, all[i].Time).TotalSeconds;
            // The last moment may be so close to the one before that nothing was counted in between.
            if (seconds >= Shortest || all.Count == 2)
            {
                double at = System.Diagnostics.Stopwatch.GetElapsedTime(all[0].Time, all[i].Time).TotalSeconds;
                yield return new DataPoint(at, (all[i].Messages - all[i - step].Messages) / seconds);
            }
        }
    }

    private static PlotModel NewModel(string title)
    {
        var model = new PlotModel
        {
            Title = title,
            TitleFontSize = 16,
            TitleFontWeight = FontWeights.Normal,
            SubtitleFontSize = 12,
            TextColor = Ink,
            Background = OxyColors.White,
            PlotAreaBorderColor = Grid,
            DefaultFont = "Arial",
        };
        model.Legends.Add(new Legend
        {
            LegendPlacement = LegendPlacement.Outside,
            LegendPosition = LegendPosition.BottomCenter,
            LegendOrientation = LegendOrientation.Horizontal,
        });
        return model;
    }

    private static TAxis NewAxis<TAxis>(TAxis axis, string title)
        where TAxis : Axis
    {
        axis.Title = title;
        axis.MajorGridlineStyle = LineStyle.Solid;
        axis.MajorGridlineColor = Grid;
        axis.TicklineColor = Grid;
        axis.MinorTickSize = 0;
        axis.MaximumPadding = 0.05;
        return axis;
    }

    private static LineSeries NewLine(string? title, OxyColor colour)
        => new() { Title = title, Color = colour, StrokeThickness = 2, LineJoin = LineJoin.Round };
}
