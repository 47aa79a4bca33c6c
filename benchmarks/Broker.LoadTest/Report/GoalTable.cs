using System.Globalization;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>
/// A table of the rows with a goal: the goal, the ratios to the baseline, and whether each part is reached.
/// </summary>
internal static class GoalTable
{
    /// <summary>
    /// Creates one table for each server that is compared with the baseline; none if no row has a goal.
    /// </summary>
    public static IEnumerable<Table> BuildAll(Results results)
    {
        Row[] rows = [.. results.Rows.Where(row => row.Goal is not null && results.Samples.Exists(sample => sample.Row == row.Name))];
        return rows.Length == 0 ? [] : results.Others.Select(name => Build(results, rows, name));
    }

    private static Table Build(Results results, Row[] rows, string name)
    {
        var table = new Table(
            ["row", "what", "goal", $"{name} × msg/s", "by round", "× CPU", "by round", "MB", $"{results.BaselineName} MB", "p50 µs", "× p99", "goal is"]);
        foreach (Row row in rows)
        {
            ILookup<string, Sample> samples = results.Of(row);
            table.Add(Cells(row, row.Goal!, [.. samples[results.BaselineName]], [.. samples[name]]));
        }

        return table;
    }

    private static string[] Cells(Row row, Goal goal, Sample[] baseline, Sample[] other)
    {
        var comparison = new Comparison(baseline, other);
        Latency? below = Comparison.Pool(baseline);
        Latency? above = Comparison.Pool(other);
        double? p50 = above?.P50 / below?.P50;
        double? p99 = above?.P99 / below?.P99;
        double? rate = comparison.Ratio(m => m.Rate)?.OfMedians;
        double? cpu = comparison.Ratio(m => m.CpuNanoseconds)?.OfMedians;
        double? memory = comparison.Ratio(m => m.ResidentBytes)?.OfMedians;

        List<string> wanted = [];
        List<string> missed = [];
        Add("rate", "≥", "×", goal.Rate, rate, (figure, bound) => figure >= bound);
        Add("CPU", "≤", "×", goal.Cpu, cpu, (figure, bound) => figure <= bound);
        Add("memory", "≤", "×", goal.Memory, memory, (figure, bound) => figure <= bound);
        Add("p50", "≤", " µs", goal.P50Microseconds, above?.P50, (figure, bound) => figure <= bound);
        Add("p50", "≤", "×", goal.P50, p50, (figure, bound) => figure <= bound);
        Add("p99", "≤", "×", goal.P99, p99, (figure, bound) => figure <= bound);
        return
        [
            row.Name,
            row.What,
            string.Join(", ", wanted),
            .. comparison.Cells(m => m.Rate),
            .. comparison.Cells(m => m.CpuNanoseconds),
            Megabytes(other),
            Megabytes(baseline),
            above is null ? Format.Nothing : Format.Digits(above.P50),
            p99 is null ? Format.Nothing : Format.Times(p99.Value),
            missed.Count == 0 ? "reached" : $"**missed** ({string.Join(", ", missed)})",
        ];

        // If there is no figure because the server lost the row, the goal is not reached.
        void Add(string part, string sign, string unit, double? bound, double? figure, Func<double, double, bool> reaches)
        {
            if (bound is null)
            {
                return;
            }

            wanted.Add(string.Create(CultureInfo.InvariantCulture, $"{part} {sign} {bound:#,0.##}{unit}"));
            if (figure is not { } value || !reaches(value, bound.Value))
            {
                missed.Add(part);
            }
        }
    }

    private static string Megabytes(Sample[] samples)
        => Comparison.Median(samples, m => m.ResidentBytes) is { } bytes ? Format.Digits(bytes / 1e6) : Format.Nothing;
}
