using System.Diagnostics;

namespace Broker.Benchmarks.Rates;

/// <summary>What a piece of work took: time, processor time of this process without that of the threads that are not the client's, and memory.</summary>
/// <param name="Elapsed">Time.</param>
/// <param name="Processor">Of all threads of the client.</param>
/// <param name="Allocated">Managed bytes.</param>
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

    /// <summary>The one in the middle by <paramref name="key"/>.</summary>
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
