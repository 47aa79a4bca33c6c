using System.Diagnostics;

namespace Broker.Benchmarks.Rates;

/// <summary>
/// The cost of some work: elapsed time, processor time of this process without the threads that do not belong to the
/// client, and memory.
/// </summary>
/// <param name="Elapsed">The elapsed time.</param>
/// <param name="Processor">The processor time of all threads of the client.</param>
/// <param name="Allocated">The allocated bytes of managed memory.</param>
internal readonly record struct Usage(TimeSpan Elapsed, TimeSpan Processor, long Allocated)
{
    internal static Usage Of(Action work, params ReadOnlySpan<ThreadClock> others)
    {
        TimeSpan before = ProcessorTime(others);
        long allocated = GC.GetTotalAllocatedBytes(precise: false);
        long begin = Stopwatch.GetTimestamp();
        work();
        TimeSpan elapsed = Stopwatch.GetElapsedTime(begin);
        return new Usage(elapsed, ProcessorTime(others) - before, GC.GetTotalAllocatedBytes(precise: false) - allocated);
    }

    /// <summary>Returns the median of <paramref name="key"/>.</summary>
    internal static double Median(IEnumerable<Usage> all, Func<Usage, double> key)
    {
        double[] sorted = [.. all.Select(key).Order()];
        return sorted[sorted.Length / 2];
    }

    private static TimeSpan ProcessorTime(ReadOnlySpan<ThreadClock> others)
    {
        TimeSpan all = Environment.CpuUsage.TotalTime;
        foreach (ThreadClock other in others)
        {
            all -= other.Read();
        }

        return all;
    }
}
