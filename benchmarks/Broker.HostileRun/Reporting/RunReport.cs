using System.Globalization;
using System.Text;
using Broker.HostileRun.Attacks;
using Broker.HostileRun.Site;

namespace Broker.HostileRun.Reporting;

/// <summary>The report of a run as text.</summary>
internal static class RunReport
{
    private const double Megabyte = 1e6;

    public static string ToText(RunSettings settings, RunOutcome outcome, IReadOnlyList<string> broken)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"Attacked for {outcome.Attacked.TotalSeconds:0} s. {Environment.ProcessorCount} processors, load {outcome.Load}.");
        text.Append(CultureInfo.InvariantCulture, $" The attackers had {(settings.Priority == AttackersPriority.Lowest ? "the lowest" : "normal")} priority.");
        text.Append(settings.HeapLimit is { } limit ? string.Create(CultureInfo.InvariantCulture, $" The heap is limited to {limit:N0} bytes.\n\n") : "\n\n");
        foreach (AttackKind kind in settings.Kinds)
        {
            text.Append(CultureInfo.InvariantCulture, $"{outcome.Attacks.GetValueOrDefault(kind.Name),10:N0}  {kind.Name,-20} {kind.What}\n");
        }

        text.Append(CultureInfo.InvariantCulture, $"\n{"processor time",-18}{"ran",9}{"waited",9}  s\n");
        foreach ((string name, ProcessorTimes times) in (ReadOnlySpan<(string, ProcessorTimes)>)
            [("broker", outcome.Broker), ("honest clients", outcome.HonestClients), ("attackers", outcome.Attackers)])
        {
            text.Append(CultureInfo.InvariantCulture, $"{name,-18}{times.Ran.TotalSeconds,9:0.0}{times.Waited.TotalSeconds,9:0.0}\n");
        }

        text.Append(CultureInfo.InvariantCulture, $"\n{"honest",-18}{"sent",12}{"lost",8}{"wrong",8}{"per s",9}");
        text.Append(CultureInfo.InvariantCulture, $"{"p50 alone",11}{"p99 alone",11}{"longest",10}{"p50",9}{"p99",9}{"longest",10}  ms\n");
        foreach (HonestResult result in outcome.Honest)
        {
            text.Append(CultureInfo.InvariantCulture, $"{result.Name,-18}{result.Counts.Sent,12:N0}{result.Counts.Lost,8:N0}{result.Counts.Wrong,8:N0}{result.PerSecond,9:N0}");
            text.Append(CultureInfo.InvariantCulture, $"{result.Alone.P50,11:0.00}{result.Alone.P99,11:0.00}{result.Alone.Longest,10:0.00}");
            text.Append(CultureInfo.InvariantCulture, $"{result.Attacked.P50,9:0.00}{result.Attacked.P99,9:0.00}{result.Attacked.Longest,10:0.00}\n");
        }

        text.Append("\nResident memory of the broker, each minute in MB:");
        outcome.Minutes.ForEach(bytes => text.Append(CultureInfo.InvariantCulture, $" {bytes / Megabyte:0}"));
        text.Append(CultureInfo.InvariantCulture, $"; at most {outcome.MostResident / Megabyte:0}\n\n");
        foreach (string sentence in broken)
        {
            text.Append("NOT KEPT: ").Append(sentence).Append('\n');
        }

        return text.Append(broken.Count == 0 ? "Every promise was kept.\n" : "").ToString();
    }
}
