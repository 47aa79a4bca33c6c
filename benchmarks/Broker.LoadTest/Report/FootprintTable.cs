using System.Globalization;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>A table of the resident memory of servers and of their CPU time when idle.</summary>
internal static class FootprintTable
{
    /// <summary>Creates the table; null if no row measured memory.</summary>
    public static Table? Build(Results results)
    {
        Row[] rows = [.. results.Rows.Where(row => results.Samples.Exists(sample => sample.Row == row.Name && sample.Measurement.Footprint is not null))];
        if (rows.Length == 0)
        {
            return null;
        }

        var table = new Table("held", "server", "RSS MB before", "after", "bytes each", "min–max", "× of each", "by round", "idle CPU %");
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            foreach (string name in results.Names)
            {
                table.Add(
                [
                    row.What,
                    name,
                    Median(samples[name], m => m.Footprint?.BytesBefore / 1e6),
                    Median(samples[name], m => m.Footprint?.BytesAfter / 1e6),
                    Median(samples[name], m => m.Footprint?.BytesEach, Whole),
                    Spread.Of(Comparison.Figures(samples[name], m => m.Footprint?.BytesEach)) is { } spread ? Format.Range(spread, Whole) : Format.Nothing,
                    .. name == results.BaselineName ? [Format.Nothing, Format.Nothing] : new Comparison(samples[results.BaselineName], samples[name]).Cells(m => m.Footprint?.BytesEach),
                    Median(samples[name], m => m.Idle?.Percent),
                ]);
            }
        }

        return table;
    }

    private static string Median(IEnumerable<Sample> samples, Func<Measurement, double?> figure, Func<double, string>? format = null)
        => Comparison.Median(samples, figure) is { } median ? (format ?? Format.Digits)(median) : Format.Nothing;

    private static string Whole(double value) => value.ToString("N0", CultureInfo.InvariantCulture);
}
