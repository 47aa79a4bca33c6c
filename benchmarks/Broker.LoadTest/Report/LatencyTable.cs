using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>Percentiles of the rows that wait for each round trip, one line per row and percentile.</summary>
internal static class LatencyTable
{
    private static readonly (string Name, Func<Measurement, double?> Figure)[] Percentiles =
    [
        ("p50", m => m.Latency?.P50),
        ("p99", m => m.Latency?.P99),
        ("p99.9", m => m.Latency?.P999),
    ];

    /// <summary>Null when no row has waited.</summary>
    public static Table? Build(Results results)
    {
        // The rows that look at the wake-up have a table of their own.
        Row[] rows = [.. results.Rows.Where(row => results.Samples.Exists(sample => sample.Row == row.Name && sample.Measurement is { Latency: not null, AfterPause: null }))];
        if (rows.Length == 0)
        {
            return null;
        }

        string[] names = [.. results.Names];
        string[] others = [.. results.Others];
        var table = new Table(
        [
            "round trip",
            .. names.SelectMany(name => new[] { $"{name} µs", "min–max" }),
            .. others.SelectMany(name => new[] { $"{name} × µs", "by round" }),
        ]);
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            foreach ((string percentile, Func<Measurement, double?> figure) in Percentiles)
            {
                table.Add(
                [
                    $"{row.Name} {percentile}",
                    .. names.SelectMany(name => Spread.Of(Comparison.Figures(samples[name], figure)) is { } spread
                        ? new[] { Format.Digits(spread.Median), Format.Range(spread, Format.Digits) }
                        : [Format.Nothing, Format.Nothing]),
                    .. others.SelectMany(name => new Comparison(samples[results.BaselineName], samples[name]).Cells(figure)),
                ]);
            }
        }

        return table;
    }
}
