using System.Globalization;

namespace Broker.Benchmarks.Rates;

/// <summary>
/// Compares several clients with the same messages. The clients alternate in rounds, so that other load of the machine
/// affects all of them alike. The table has medians and ranges of the rate, and the processor time and memory of the
/// client alone.
/// </summary>
internal static class RateTable
{
    /// <param name="output">The writer of the table.</param>
    /// <param name="title">The title of the table.</param>
    /// <param name="rounds">The number of rounds.</param>
    /// <param name="clients">
    /// For each client: its name, its number of messages in a round, its work, and the clock of a thread whose time is
    /// subtracted.
    /// </param>
    internal static void Run(
        TextWriter output, string title, int rounds, IReadOnlyList<(string Name, int Messages, Action Work, ThreadClock Other)> clients)
    {
        List<Usage>[] all = [.. clients.Select(_ => new List<Usage>())];
        // The first rounds compile the code and do not count.
        for (int round = -2; round < rounds; round++)
        {
            for (int i = 0; i < clients.Count; i++)
            {
                var usage = Usage.Of(clients[i].Work, clients[i].Other);
                if (round >= 0)
                {
                    all[i].Add(usage);
                }
            }
        }

        output.WriteLine($"| {title} | million/s | range | CPU ns | bytes |");
        output.WriteLine("|---|---|---|---|---|");
        for (int i = 0; i < clients.Count; i++)
        {
            (string name, double messages) = (clients[i].Name, clients[i].Messages);
            double Rate(Usage u) => messages / u.Elapsed.TotalMicroseconds;
            output.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"| {name} | {Usage.Median(all[i], Rate):0.00} | {all[i].Min(Rate):0.00}–{all[i].Max(Rate):0.00} | {Usage.Median(all[i], u => u.Processor.TotalNanoseconds / messages):0.0} | {Usage.Median(all[i], u => u.Allocated / messages):0} |"));
        }
    }
}
