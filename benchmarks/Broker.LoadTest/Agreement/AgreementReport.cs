using System.Globalization;
using Broker.LoadTest.Report;

namespace Broker.LoadTest.Agreement;

/// <summary>The report: a line for each row, with both medians.</summary>
internal static class AgreementReport
{
    public static string ToText(int rounds, IReadOnlyList<AgreementOutcome> outcomes)
    {
        var table = new Table("row", "load test/s", "broker bench/s", "ratio", "load test, spread", "broker bench, spread");
        foreach (AgreementOutcome outcome in outcomes)
        {
            table.Add(
                [outcome.Row, Format.Count(outcome.LoadMedian), Format.Count(outcome.BenchMedian), Format.Times(outcome.Ratio), Range(outcome.Load), Range(outcome.Bench)]);
        }

        return $"Machine: {MachineInfo.Machine}\nSystem: {MachineInfo.System}; driver on {MachineInfo.Runtime}\n"
            + string.Create(CultureInfo.InvariantCulture, $"Date: {DateTimeOffset.UtcNow:yyyy-MM-dd HH:mm} UTC; medians of {rounds} rounds\n\n")
            + table.ToText();
    }

    private static string Range(IReadOnlyList<double> rates) => $"{Format.Count(rates.Min())}–{Format.Count(rates.Max())}";
}
