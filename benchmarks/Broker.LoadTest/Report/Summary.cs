using System.Globalization;
using System.Text;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>The whole report, as text for a console or as Markdown.</summary>
internal static class Summary
{
    public static string ToText(Results results) => Build(results, table => table.ToText(), "");

    public static string ToMarkdown(Results results) => "# Load test\n\n" + Build(results, table => table.ToMarkdown(), "- ");

    private static string Build(Results results, Func<Table, string> render, string bullet)
    {
        var text = new StringBuilder();
        void Line(string line) => text.Append(bullet).AppendLine(line);

        Line($"Machine: {MachineInfo.Machine}");
        Line($"System: {MachineInfo.System}; driver on {MachineInfo.Runtime}");
        Line($"Settings: {results.Settings}");
        Line(string.Create(CultureInfo.InvariantCulture, $"Date: {results.Started:yyyy-MM-dd HH:mm} UTC, took {results.Duration.TotalSeconds:0} s"));
        foreach (string note in results.Notes)
            Line($"Note: {note}");
        text.AppendLine().AppendLine(render(ServerTable.Build(results)));
        text.AppendLine(render(ThroughputTable.Build(results)));
        text.AppendLine($"Medians of the rounds; messages are counted where they are received; ns and CPU ns are per message, CPU is the server's.{Ratios(results)}");
        if (LatencyTable.Build(results) is { } latency)
            text.AppendLine().Append(render(latency));
        if (results.Failures.Count > 0)
            text.AppendLine();
        foreach (string failure in results.Failures)
            Line($"FAILED {failure}");
        return text.ToString();
    }

    private static string Ratios(Results results) =>
        results.Participants.Count > 1 ? $" Ratios are to {results.Baseline!.Command.Name}: of the medians, then the median of each round's own." : "";
}
