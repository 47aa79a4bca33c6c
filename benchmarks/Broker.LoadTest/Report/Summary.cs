using System.Globalization;
using System.Text;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>The whole report as console text or as Markdown, with one part for each measured state.</summary>
internal static class Summary
{
    public static string ToText(IReadOnlyList<Results> parts) => Build(parts, table => table.ToText(), "", heading => $"{heading}\n");

    public static string ToMarkdown(IReadOnlyList<Results> parts)
        => "# Load test\n\n" + Build(parts, table => table.ToMarkdown(), "- ", heading => $"## {heading}\n");

    private static string Build(IReadOnlyList<Results> parts, Func<Table, string> render, string bullet, Func<string, string> heading)
    {
        var text = new StringBuilder();
        void Line(string line) => text.Append(bullet).AppendLine(line);

        Line($"Machine: {MachineInfo.Machine}");
        Line($"System: {MachineInfo.System}; driver on {MachineInfo.Runtime}");
        Line($"Broker: {MachineInfo.BrokerVersion}");
        foreach (Results part in parts)
        {
            Line($"Settings: {part.Settings}");
        }

        Line(string.Create(CultureInfo.InvariantCulture, $"Date: {parts[0].Started:yyyy-MM-dd HH:mm} UTC, took {parts.Sum(part => part.Duration.TotalSeconds):0} s"));
        foreach (string note in parts.SelectMany(part => part.Notes))
        {
            Line($"Note: {note}");
        }

        text.AppendLine().AppendLine(render(ServerTable.Build(parts)));
        foreach (Results part in parts)
        {
            if (parts.Count > 1)
            {
                text.AppendLine(heading(part.Settings.Cold ? "Cold: the first second of a process" : "Warm"));
            }

            Tables(part, render, text);
        }

        foreach (string failure in parts.SelectMany(part => part.Failures))
        {
            Line($"FAILED {failure}");
        }

        return text.ToString();
    }

    private static void Tables(Results results, Func<Table, string> render, StringBuilder text)
    {
        void Add(Table? table, string explanation)
        {
            if (table is not null)
            {
                text.Append(render(table)).AppendLine().AppendLine(explanation).AppendLine();
            }
        }

        string ratios = results.Participants.Count > 1 ? $" Ratios compare with {results.BaselineName}: first the ratio of the medians, then the median (and the range) of the ratios of single rounds." : "";
        Add(ThroughputTable.Build(results), $"The figures are medians of the rounds. Messages are counted at the receiver. ns and CPU ns are per message. CPU is the server's CPU time, and MB is its resident memory after the row.{ratios}");
        Add(LatencyTable.Build(results), "Microseconds from request to reply, one request at a time: percentiles of the round trips of all rounds together. A bystander sends PINGs by schedule. The time of a PING that a stall delayed counts from when it was due. "
            + (Precedence.IsPermitted()
                ? "The bystander's thread has real-time priority, so the figures contain no wait of the driver for a processor. They contain the server's waits."
                : "The bystander's thread has ordinary priority, because real-time scheduling was not permitted (it needs root or CAP_SYS_NICE). The figures contain its own waits for a processor."));
        foreach (Table table in GoalTable.BuildAll(results))
        {
            Add(table, "Goals in microseconds are absolute. All others are ratios to the baseline. A row reaches its goal if it reaches every part of it.");
        }

        foreach (Table table in GrowthTable.BuildAll(results))
        {
            Add(table, "The figures are medians of the rounds. CPU is the server's, per delivered message. × first is the ratio to the first line.");
        }

        Add(FootprintTable.Build(results), "Resident memory of a new process for each measurement. Idle CPU is the share of one processor over 3 s.");
        Add(StartTable.Build(results), "The time from the start of the process to the first accepted connection, and from there to the first byte. CPU and resident memory are measured one second later.");
        Add(WakeUpTable.Build(results), "Idle CPU is the share of one processor in the second after activity. The pause is 2 ms: long enough that the server's loops sleep.");
    }
}
