using System.Globalization;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>
/// A table of percentiles for rows that wait for each round trip, with one line per row and percentile. The round trips
/// of all rounds count together.
/// </summary>
internal static class LatencyTable
{
    private static readonly (string Name, Func<Latency, double> Figure)[] Percentiles =
    [
        ("p50", latency => latency.P50),
        ("p99", latency => latency.P99),
        ("p99.9", latency => latency.P999),
    ];

    /// <summary>Creates the table; null if no row measured round trips.</summary>
    public static Table? Build(Results results)
    {
        // The rows that measure the wake-up have a separate table.
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
            .. names.SelectMany(name => new[] { $"{name} µs", "min–max of rounds", "round trips" }),
            .. others.SelectMany(name => new[] { $"{name} × µs", "by round" }),
        ]);
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            Latency? baseline = Comparison.Pool(samples[results.BaselineName]);
            foreach ((string percentile, Func<Latency, double> figure) in Percentiles)
            {
                table.Add(
                [
                    $"{row.Name} {percentile}",
                    .. names.SelectMany(name => Cells([.. samples[name]], figure)),
                    .. others.SelectMany(name => Ratios(baseline, samples[results.BaselineName], samples[name], figure)),
                ]);
            }
        }

        return table;
    }

    private static string[] Cells(IReadOnlyList<Sample> samples, Func<Latency, double> figure)
    {
        if (Comparison.Pool(samples) is not { } all || Spread.Of(Comparison.Figures(samples, Of(figure))) is not { } spread)
        {
            return [Format.Nothing, Format.Nothing, Format.Nothing];
        }

        return [Format.Digits(figure(all)), Format.Range(spread, Format.Digits), all.Count.ToString("N0", CultureInfo.InvariantCulture)];
    }

    private static string[] Ratios(Latency? baseline, IEnumerable<Sample> below, IEnumerable<Sample> above, Func<Latency, double> figure)
    {
        string ofAll = baseline is not null && Comparison.Pool(above) is { } all ? Format.Times(figure(all) / figure(baseline)) : Format.Nothing;
        return [ofAll, new Comparison(below, above).Cells(Of(figure))[1]];
    }

    private static Func<Measurement, double?> Of(Func<Latency, double> figure) => measurement => measurement.Latency is { } latency ? figure(latency) : null;
}
