using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report.Picture;

/// <summary>The panels of a run: throughput and CPU of the main table, and the figure of each dimension.</summary>
internal static class RatioPanels
{
    public static IReadOnlyList<Panel> Of(IReadOnlyList<Results> parts) => [.. parts.SelectMany(Of).Where(panel => panel.Groups.Count > 0)];

    private static IEnumerable<Panel> Of(Results results)
    {
        string state = results.Settings.Cold ? ", cold" : "";
        Row[] main = [.. results.Rows.Where(row => row.InMainTable)];
        yield return Build(results, $"messages per second × {results.BaselineName}{state}", main, row => row.Name, m => m.Rate);
        yield return Build(results, $"server CPU per message × {results.BaselineName}{state}", main, row => row.Name, m => m.CpuNanoseconds);
        foreach (IGrouping<string, Row> dimension in results.Rows.Where(row => row.Point is not null).GroupBy(row => row.Point!.Dimension, StringComparer.Ordinal))
        {
            GrowthFigure figure = dimension.First().Point!.Figure;
            yield return Build(results, $"{figure.Unit} × {results.BaselineName}: {dimension.Key}", dimension, row => row.Point!.Label, figure.Of);
        }

        yield return Build(results, $"memory of each × {results.BaselineName}", results.Rows.Where(row => !row.InMainTable && row.Point is null), row => row.Name, m => m.Footprint?.BytesEach);
    }

    private static Panel Build(Results results, string title, IEnumerable<Row> rows, Func<Row, string> label, Func<Measurement, double?> figure)
    {
        var groups = new List<BarGroup>();
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            var bars = new List<Bar>();
            foreach (string name in results.Others)
            {
                if (new Comparison(samples[results.BaselineName], samples[name]).Ratio(figure) is { ByRound: { } spread } ratio)
                {
                    bars.Add(new Bar(name, ratio.OfMedians, spread.Min, spread.Max));
                }
            }

            if (bars.Count > 0)
            {
                groups.Add(new BarGroup(label(row), bars));
            }
        }

        return new Panel(title, groups);
    }
}
