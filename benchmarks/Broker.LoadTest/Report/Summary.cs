using System.Globalization;
using System.Text;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>The whole report as console text or as Markdown, with one part for each measured state.</summary>
internal static class Summary
{
    public static string ToText(IReadOnlyList<Results> parts) => Build(parts, table => table.ToText(), "", heading => $"{heading}\n");

    public static string ToMarkdown(IReadOnlyList<Results> parts) =>
        "# Load test\n\n" + Build(parts, table => table.ToMarkdown(), "- ", heading => $"## {heading}\n");

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

        string ratios = results.Participants.Count > 1 ? $" Ratios are to {results.BaselineName}: of the medians, then the median (and the range) of each round's own." : "";
        Add(ThroughputTable.Build(results), $"Medians of the rounds; messages are counted where they are received; ns and CPU ns are per message, CPU is the server's, MB its resident memory after the row.{ratios}");
        Add(LatencyTable.Build(results), "Microseconds from request to reply, one at a time: percentiles of all rounds' round trips together. A bystander's PING is sent by schedule, so one that a stall delays is late by that. "
            + (Precedence.IsPermitted()
                ? "Its thread runs ahead of all of ordinary priority: what it waits for is the server, which waits for a processor like any other."
                : "Its thread waits for a processor like any other, which is in the figures: real-time scheduling was refused (root or CAP_SYS_NICE)."));
        foreach (Table table in GoalTable.BuildAll(results))
        {
            Add(table, "Goals are ratios to the baseline but for microseconds; a row reaches its goal when each part of it is reached.");
        }

        foreach (Table table in GrowthTable.BuildAll(results))
        {
            Add(table, "Medians of the rounds; CPU is the server's, per delivered message; × first is to the first line.");
        }

        Add(FootprintTable.Build(results), "Resident memory, of a fresh process each time. Idle CPU is of one processor, over 3 s.");
        Add(StartTable.Build(results), "From the start of the process to the first connection that is accepted, and from there to the first byte. CPU and resident memory a second later.");
        Add(WakeUpTable.Build(results), "Idle CPU is of one processor, over the second after activity. A pause is 2 ms, long enough to fall asleep.");
    }
}
