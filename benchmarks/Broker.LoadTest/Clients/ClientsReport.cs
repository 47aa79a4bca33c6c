using System.Globalization;
using Broker.LoadTest.Report;

namespace Broker.LoadTest.Clients;

/// <summary>The report: one line for each row and server, with the medians of both clients.</summary>
internal static class ClientsReport
{
    public static string ToText(int rounds, IReadOnlyList<ClientOutcome> outcomes) => Head(rounds, "") + "\n" + Lines(outcomes).ToText();

    public static string ToMarkdown(int rounds, IReadOnlyList<ClientOutcome> outcomes)
        => "# Clients\n\n" + Head(rounds, "- ") + "\n" + Lines(outcomes).ToMarkdown();

    private static string Head(int rounds, string bullet)
        => $"{bullet}Machine: {MachineInfo.Machine}\n{bullet}System: {MachineInfo.System}; driver on {MachineInfo.Runtime}\n"
        + string.Create(CultureInfo.InvariantCulture, $"{bullet}Date: {DateTimeOffset.UtcNow:yyyy-MM-dd HH:mm} UTC; medians of {rounds} rounds\n");

    private static Table Lines(IReadOnlyList<ClientOutcome> outcomes)
    {
        var table = new Table(
            "row, server", "ours/s", "NATS.Net/s", "ratio", "ours CPU µs", "NATS.Net CPU µs", "ratio", "server CPU µs, ours", "server CPU µs, NATS.Net", "ours B", "NATS.Net B");
        foreach (IGrouping<(string Server, ClientRow Row), ClientOutcome> pair in outcomes.GroupBy(static o => (o.Server, o.Row)))
        {
            ClientOutcome ours = pair.Single(static o => o.Client == ClientProcessCommand.Ours);
            ClientOutcome theirs = pair.Single(static o => o.Client == ClientProcessCommand.NatsNet);
            table.Add(
            [
                $"{pair.Key.Row.Name}, {pair.Key.Server}",
                Format.Count(ours.Median(static c => c.Rate)),
                Format.Count(theirs.Median(static c => c.Rate)),
                Format.Times(ours.Median(static c => c.Rate) / theirs.Median(static c => c.Rate)),
                Format.Digits(ours.Median(static c => c.Cpu)),
                Format.Digits(theirs.Median(static c => c.Cpu)),
                Format.Times(ours.Median(static c => c.Cpu) / theirs.Median(static c => c.Cpu)),
                Format.Digits(ours.Median(static c => c.ServerCpu)),
                Format.Digits(theirs.Median(static c => c.ServerCpu)),
                Format.Digits(ours.Median(static c => c.Bytes)),
                Format.Digits(theirs.Median(static c => c.Bytes)),
            ]);
        }

        return table;
    }
}
