using System.Globalization;

namespace Broker.Benchmarks.Rates;

/// <summary>
/// What several clients do with the same messages, each in turn and in rounds, so that what else the machine does meets all of them alike:
/// medians of the rate, its range, and the processor time and memory of the client alone.
/// </summary>
internal static class RateTable
{
    /// <param name="output">Where the table goes.</param>
    /// <param name="title">What is done with them.</param>
    /// <param name="rounds">How many.</param>
    /// <param name="clients">What they are called; how many messages each has in a round; what does it; whose time is not theirs.</param>
    internal static void Run(
        TextWriter output, string title, int rounds, IReadOnlyList<(string Name, int Messages, Action Work, ThreadClock Other)> clients)
    {
        List<Usage>[] all = [.. clients.Select(_ => new List<Usage>())];
        // The first rounds compile the code, and do not count.
        for (int round = -2; round < rounds; round++)
        {
            for (int i = 0; i < clients.Count; i++)
            {
                Usage usage = Usage.Of(clients[i].Work, clients[i].Other);
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
