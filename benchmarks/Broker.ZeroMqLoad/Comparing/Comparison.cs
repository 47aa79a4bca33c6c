using System.Globalization;

namespace Broker.ZeroMqLoad.Comparing;

/// <summary>
/// Measures rows in rounds and prints medians as a table. The variants alternate, and every other round runs in reverse
/// order.
/// </summary>
internal static class Comparison
{
    public static void Run(IReadOnlyList<Row> rows, int rounds)
    {
        using var ends = new EndFactory();
        Console.WriteLine("| row | ends | M/s (least–most) | to libzmq | CPU ns | to libzmq | receiver CPU ns | to libzmq | p50, p99, p99.9 µs, loss, bytes a connection or allocated B a message |");
        Console.WriteLine("|---|---|---:|---:|---:|---:|---:|---:|---:|");
        foreach (Row row in rows)
        {
            Print(row, Measure(row, rounds, ends));
        }
    }

    private static List<Result>[] Measure(Row row, int rounds, EndFactory ends)
    {
        var results = new List<Result>[row.Variants.Count];
        for (int i = 0; i < results.Length; i++)
        {
            results[i] = [];
        }

        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < results.Length; i++)
            {
                int which = round % 2 == 0 ? i : results.Length - 1 - i;
                results[which].Add(row.Variants[which].Measure(ends));
            }
        }

        return results;
    }

    private static void Print(Row row, List<Result>[] results)
    {
        for (int i = 0; i < results.Length; i++)
        {
            List<Result> these = results[i];
            List<Result> first = results[0];
            string rate = double.IsNaN(these[0].Rate) ? "" : string.Create(
                CultureInfo.InvariantCulture, $"{Millions(Median(these, r => r.Rate))} ({Millions(these.Min(r => r.Rate))}–{Millions(these.Max(r => r.Rate))})");
            string[] cells =
            [
                row.Name, row.Variants[i].Name, rate,
                Ratio(r => r.Rate, 'x'), Number(Median(these, r => r.FirstCpu)), Ratio(r => r.FirstCpu, '%'),
                Number(Median(these, r => r.SecondCpu)), Ratio(r => r.SecondCpu, '%'), Rest(these),
            ];
            Console.WriteLine("| " + string.Join(" | ", cells) + " |");

            // The ratio is computed for each round, because the speed of the machine may change within a minute.
            string Ratio(Func<Result, double> of, char unit)
            {
                double ratio = Median([.. these.Select((result, round) => of(result) / of(first[round]))], value => value);
                return double.IsNaN(ratio) ? "" : string.Create(CultureInfo.InvariantCulture, $"{(unit == '%' ? ratio * 100 : ratio):G3} {unit}");
            }
        }
    }

    private static string Rest(List<Result> results)
    {
        double p50 = Median(results, r => r.P50);
        double loss = Median(results, r => r.Loss);
        double allocated = Median(results, r => r.Allocated);
        double perConnection = Median(results, r => r.PerConnection);
        return !double.IsNaN(perConnection) ? string.Create(CultureInfo.InvariantCulture, $"{perConnection:F0}")
            : !double.IsNaN(p50) ? string.Create(CultureInfo.InvariantCulture, $"{p50:F1}, {Median(results, r => r.P99):F1}, {Median(results, r => r.P999):F1}")
            : !double.IsNaN(allocated) ? string.Create(CultureInfo.InvariantCulture, $"{allocated:F0} B")
            : !double.IsNaN(loss) ? string.Create(CultureInfo.InvariantCulture, $"{loss * 100:F1} %")
            : "";
    }

    private static double Median<T>(IReadOnlyCollection<T> values, Func<T, double> of)
    {
        double[] sorted = [.. values.Select(of).Order()];
        int middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static string Millions(double rate) => string.Create(CultureInfo.InvariantCulture, $"{rate / 1e6:G3}");

    private static string Number(double value) => double.IsNaN(value) ? "" : string.Create(CultureInfo.InvariantCulture, $"{value:G3}");
}
