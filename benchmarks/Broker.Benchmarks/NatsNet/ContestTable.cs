using System.Diagnostics;
using System.Globalization;

namespace Broker.Benchmarks.NatsNet;

/// <summary>
/// Runs contests and prints medians. The clients alternate in rounds, so that other load of the machine affects both
/// alike. Memory and processor time are those of the whole process, so also of a common publisher or responder.
/// </summary>
/// <param name="output">The writer of the table.</param>
/// <param name="rounds">The number of rounds.</param>
/// <param name="server">The process of the server, whose processor time is printed too. Null if it is not
/// known.</param>
internal sealed class ContestTable(TextWriter output, int rounds, Process? server)
{
    private readonly Process _own = Process.GetCurrentProcess();

    /// <param name="contests">The rows.</param>
    internal async Task RunAsync(IReadOnlyList<Contest> contests)
    {
        await output.WriteLineAsync("| 128 B | ours, per s | NATS.Net, per s | ratio | ours, bytes | NATS.Net, bytes | ours, µs | NATS.Net, µs | server, µs |").ConfigureAwait(false);
        await output.WriteLineAsync("|---|---|---|---|---|---|---|---|---|").ConfigureAwait(false);
        foreach (Contest contest in contests)
        {
            var ours = new List<Cost>();
            var theirs = new List<Cost>();
            // The first round compiles the code and does not count.
            for (int round = 0; round <= rounds; round++)
            {
                Cost one = await MeasureAsync(contest, contest.Ours).ConfigureAwait(false);
                Cost other = await MeasureAsync(contest, contest.Theirs).ConfigureAwait(false);
                if (round > 0)
                {
                    ours.Add(one);
                    theirs.Add(other);
                }
            }

            double ourRate = Median(ours, static m => m.Rate);
            double theirRate = Median(theirs, static m => m.Rate);
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"| {contest.Name} | {ourRate:N0} | {theirRate:N0} | {ourRate / theirRate:0.0} | {Median(ours, static m => m.Bytes):N0} | {Median(theirs, static m => m.Bytes):N0} | {Median(ours, static m => m.Processor):0.0} | {Median(theirs, static m => m.Processor):0.0} | {ServerColumn(ours, theirs)} |")).ConfigureAwait(false);
        }
    }

    private string ServerColumn(List<Cost> ours, List<Cost> theirs)
        => server is null ? "" : string.Create(CultureInfo.InvariantCulture, $"{Median(ours, static m => m.Server):0.0}, {Median(theirs, static m => m.Server):0.0}");

    private async Task<Cost> MeasureAsync(Contest contest, Func<int, Task> work)
    {
        await contest.Prepare(contest.Count).ConfigureAwait(false);
        TimeSpan processor = ProcessorOf(_own);
        TimeSpan ofServer = ProcessorOf(server);
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        long started = Stopwatch.GetTimestamp();
        await work(contest.Count).ConfigureAwait(false);
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        return new Cost(
            contest.Count / seconds,
            (GC.GetTotalAllocatedBytes(precise: true) - allocated) / (double)contest.Count,
            (ProcessorOf(_own) - processor).TotalMicroseconds / contest.Count,
            (ProcessorOf(server) - ofServer).TotalMicroseconds / contest.Count);
    }

    private static TimeSpan ProcessorOf(Process? process)
    {
        process?.Refresh();
        return process?.TotalProcessorTime ?? TimeSpan.Zero;
    }

    private static double Median(List<Cost> all, Func<Cost, double> key) => all.Select(key).Order().ElementAt(all.Count / 2);

    /// <param name="Rate">Messages per second.</param>
    /// <param name="Bytes">Allocated bytes of a message.</param>
    /// <param name="Processor">Processor time of this process for a message, in microseconds.</param>
    /// <param name="Server">Processor time of the server for a message, in microseconds.</param>
    private readonly record struct Cost(double Rate, double Bytes, double Processor, double Server);
}
