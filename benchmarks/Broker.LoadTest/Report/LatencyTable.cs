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
        string[] rows = [.. results.Rows.Select(row => row.Name).Where(row => results.Samples.Exists(sample => sample.Row == row && sample.Measurement.Latency is not null))];
        if (rows.Length == 0)
            return null;
        string[] names = [.. results.Participants.Select(participant => participant.Command.Name)];
        string? baseline = results.Baseline?.Command.Name;
        string[] others = [.. names.Where(name => name != baseline)];
        var table = new Table(
        [
            "round trip",
            .. names.SelectMany(name => new[] { $"{name} µs", "min–max" }),
            .. others.SelectMany(name => new[] { $"{name} × µs", "by round" }),
        ]);
        foreach (string row in rows)
        {
            ILookup<string, Sample> samples = results.Samples.Where(sample => sample.Row == row).ToLookup(sample => sample.Server, StringComparer.Ordinal);
            foreach ((string percentile, Func<Measurement, double?> figure) in Percentiles)
            {
                table.Add(
                [
                    $"{row} {percentile}",
                    .. names.SelectMany(name => Spread.Of(Comparison.Figures(samples[name], figure)) is { } spread
                        ? new[] { Format.Digits(spread.Median), Format.Range(spread, Format.Digits) }
                        : [Format.Nothing, Format.Nothing]),
                    .. others.SelectMany(name => new Comparison([.. samples[baseline!]], [.. samples[name]]).Ratio(figure) is { } ratio
                        ? new[] { Format.Times(ratio.OfMedians), Format.Times(ratio.ByRound) }
                        : [Format.Nothing, Format.Nothing]),
                ]);
            }
        }

        return table;
    }
}
