using System.Diagnostics;
using System.Globalization;

namespace Broker.Benchmarks.NatsNet;

/// <summary>
/// Runs contests and prints medians. The clients alternate in rounds, so that other load of the machine affects both
/// alike. The memory is that of the whole process, so also of a common publisher or responder.
/// </summary>
internal static class ContestTable
{
    /// <param name="output">The writer of the table.</param>
    /// <param name="rounds">The number of rounds.</param>
    /// <param name="contests">The rows.</param>
    internal static async Task RunAsync(TextWriter output, int rounds, IReadOnlyList<Contest> contests)
    {
        await output.WriteLineAsync("| 128 B | ours, per s | NATS.Net, per s | ratio | ours, bytes | NATS.Net, bytes |").ConfigureAwait(false);
        await output.WriteLineAsync("|---|---|---|---|---|---|").ConfigureAwait(false);
        foreach (Contest contest in contests)
        {
            var ours = new List<(double Rate, double Bytes)>();
            var theirs = new List<(double Rate, double Bytes)>();
            // The first round compiles the code and does not count.
            for (int round = 0; round <= rounds; round++)
            {
                (double Rate, double Bytes) one = await MeasureAsync(contest, contest.Ours).ConfigureAwait(false);
                (double Rate, double Bytes) other = await MeasureAsync(contest, contest.Theirs).ConfigureAwait(false);
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
                $"| {contest.Name} | {ourRate:N0} | {theirRate:N0} | {ourRate / theirRate:0.0} | {Median(ours, static m => m.Bytes):N0} | {Median(theirs, static m => m.Bytes):N0} |")).ConfigureAwait(false);
        }
    }

    private static async Task<(double Rate, double Bytes)> MeasureAsync(Contest contest, Func<int, Task> work)
    {
        await contest.Prepare(contest.Count).ConfigureAwait(false);
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        long started = Stopwatch.GetTimestamp();
        await work(contest.Count).ConfigureAwait(false);
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        return (contest.Count / seconds, (GC.GetTotalAllocatedBytes(precise: true) - allocated) / (double)contest.Count);
    }

    private static double Median(List<(double Rate, double Bytes)> all, Func<(double Rate, double Bytes), double> key)
        => all.Select(key).Order().ElementAt(all.Count / 2);
}
