using System.Globalization;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>The main table: messages per second and server CPU per message of each server, then the ratios to the baseline.</summary>
internal static class ThroughputTable
{
    public static Table Build(Results results)
    {
        string[] names = [.. results.Participants.Select(participant => participant.Command.Name)];
        string? baseline = results.Baseline?.Command.Name;
        string[] others = [.. names.Where(name => name != baseline)];
        var table = new Table(
        [
            "row",
            "messages",
            .. names.SelectMany(name => new[] { $"{name} msg/s", "min–max", "ns", "CPU ns", "min–max" }),
            .. others.SelectMany(name => new[] { $"{name} × msg/s", "by round", "× CPU", "by round" }),
        ]);
        foreach (Row row in results.Rows)
        {
            ILookup<string, Sample> samples = results.Samples.Where(sample => sample.Row == row.Name).ToLookup(sample => sample.Server, StringComparer.Ordinal);
            string messages = samples.SelectMany(group => group).FirstOrDefault()?.Measurement.Messages.ToString("N0", CultureInfo.InvariantCulture) ?? Format.Nothing;
            table.Add(
            [
                row.Name,
                messages,
                .. names.SelectMany(name => Figures([.. samples[name]])),
                .. others.SelectMany(name => Ratios(new Comparison([.. samples[baseline!]], [.. samples[name]]))),
            ]);
        }

        return table;
    }

    private static string[] Figures(IReadOnlyList<Sample> samples)
    {
        int lost = samples.Count(sample => sample.Measurement.Lost);
        string mark = lost == 0 ? "" : $"LOST {lost}/{samples.Count} ";
        if (Spread.Of(Comparison.Figures(samples, m => m.Rate)) is not { } rate || Spread.Of(Comparison.Figures(samples, m => m.CpuNanoseconds)) is not { } cpu)
            return [lost > 0 ? mark.Trim() : Format.Nothing, Format.Nothing, Format.Nothing, Format.Nothing, Format.Nothing];
        return
        [
            mark + Format.Count(rate.Median),
            Format.Range(rate, Format.Count),
            Format.Digits(1e9 / rate.Median),
            Format.Digits(cpu.Median),
            Format.Range(cpu, Format.Digits),
        ];
    }

    private static IEnumerable<string> Ratios(Comparison comparison) => Pair(comparison.Ratio(m => m.Rate)).Concat(Pair(comparison.Ratio(m => m.CpuNanoseconds)));

    private static string[] Pair((double OfMedians, double ByRound)? ratio) =>
        ratio is { } pair ? [Format.Times(pair.OfMedians), Format.Times(pair.ByRound)] : [Format.Nothing, Format.Nothing];
}
