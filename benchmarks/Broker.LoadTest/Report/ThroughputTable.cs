using System.Globalization;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>
/// The main table: messages per second and server CPU per message of each server, then the ratios to the baseline.
/// </summary>
internal static class ThroughputTable
{
    /// <summary>Creates the table; null if it has no row.</summary>
    public static Table? Build(Results results)
    {
        Row[] rows = [.. results.Rows.Where(row => row.InMainTable)];
        if (rows.Length == 0)
        {
            return null;
        }

        string[] names = [.. results.Names];
        string[] others = [.. results.Others];
        var table = new Table(
        [
            "row",
            "messages",
            .. names.SelectMany(name => new[] { $"{name} msg/s", "min–max", "ns", "CPU ns", "min–max", "MB" }),
            .. others.SelectMany(name => new[] { $"{name} × msg/s", "by round", "× CPU", "by round" }),
        ]);
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            string messages = samples.SelectMany(group => group).FirstOrDefault()?.Measurement.Messages.ToString("N0", CultureInfo.InvariantCulture) ?? Format.Nothing;
            table.Add(
            [
                row.Name,
                messages,
                .. names.SelectMany(name => Figures([.. samples[name]])),
                .. others.SelectMany(name => Ratios(new Comparison(samples[results.BaselineName], samples[name]))),
            ]);
        }

        return table;
    }

    private static string[] Figures(IReadOnlyList<Sample> samples)
    {
        int lost = samples.Count(sample => sample.Measurement.Lost);
        string mark = lost == 0 ? "" : $"LOST {lost}/{samples.Count} ";
        if (Spread.Of(Comparison.Figures(samples, m => m.Rate)) is not { } rate || Spread.Of(Comparison.Figures(samples, m => m.CpuNanoseconds)) is not { } cpu)
        {
            return [lost > 0 ? mark.Trim() : Format.Nothing, Format.Nothing, Format.Nothing, Format.Nothing, Format.Nothing, Format.Nothing];
        }

        return
        [
            mark + Format.Count(rate.Median),
            Format.Range(rate, Format.Count),
            Format.Digits(1e9 / rate.Median),
            Format.Digits(cpu.Median),
            Format.Range(cpu, Format.Digits),
            Format.Digits(Comparison.Median(samples, m => m.ResidentBytes)!.Value / 1e6),
        ];
    }

    private static IEnumerable<string> Ratios(Comparison comparison) => comparison.Cells(m => m.Rate).Concat(comparison.Cells(m => m.CpuNanoseconds));
}
