using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>A table of the settings for polling after activity: the idle cost and the round trips.</summary>
internal static class WakeUpTable
{
    private static readonly (string Head, Func<Measurement, double?> Figure)[] Columns =
    [
        ("idle CPU %", m => m.Idle?.Percent),
        ("p50 µs", m => m.Latency?.P50),
        ("p99 µs", m => m.Latency?.P99),
        ("CPU µs per request", m => m.CpuNanoseconds / 1e3),
        ("p50 µs after a pause", m => m.AfterPause?.P50),
        ("p99 µs after a pause", m => m.AfterPause?.P99),
    ];

    /// <summary>Creates the table; null if no row measured the wake-up.</summary>
    public static Table? Build(Results results)
    {
        Row[] rows = [.. results.Rows.Where(row => results.Samples.Exists(sample => sample.Row == row.Name && sample.Measurement.AfterPause is not null))];
        if (rows.Length == 0)
        {
            return null;
        }

        var table = new Table(["setting", "server", .. Columns.SelectMany(column => new[] { column.Head, "min–max" })]);
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            foreach (string name in results.Names.Where(samples.Contains))
            {
                table.Add([row.What, name, .. Columns.SelectMany(column => Cells(samples[name], column.Figure))]);
            }
        }

        return table;
    }

    private static string[] Cells(IEnumerable<Sample> samples, Func<Measurement, double?> figure)
        => Spread.Of(Comparison.Figures(samples, figure)) is { } spread ? [Format.Digits(spread.Median), Format.Range(spread, Format.Digits)] : [Format.Nothing, Format.Nothing];
}
