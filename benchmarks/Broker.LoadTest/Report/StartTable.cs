using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>A table of the start times of the servers and of their memory after the start.</summary>
internal static class StartTable
{
    private static readonly (string Head, Func<Measurement, double?> Figure)[] Columns =
    [
        ("first connection ms", m => m.Start?.ToConnection.TotalMilliseconds),
        ("INFO ms later", m => m.Start?.ToInfo.TotalMilliseconds),
        ("CPU ms", m => m.CpuSeconds * 1e3),
        ("RSS MB", m => m.ResidentBytes / 1e6),
    ];

    /// <summary>Creates the table; null if no row measured the start.</summary>
    public static Table? Build(Results results)
    {
        Row[] rows = [.. results.Rows.Where(row => results.Samples.Exists(sample => sample.Row == row.Name && sample.Measurement.Start is not null))];
        if (rows.Length == 0)
        {
            return null;
        }

        var table = new Table(["server", .. Columns.SelectMany(column => new[] { column.Head, "min–max" })]);
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            foreach (string name in results.Names.Where(samples.Contains))
            {
                table.Add([name, .. Columns.SelectMany(column => Cells(samples[name], column.Figure))]);
            }
        }

        return table;
    }

    private static string[] Cells(IEnumerable<Sample> samples, Func<Measurement, double?> figure)
        => Spread.Of(Comparison.Figures(samples, figure)) is { } spread ? [Format.Digits(spread.Median), Format.Range(spread, Format.Digits)] : [Format.Nothing, Format.Nothing];
}
