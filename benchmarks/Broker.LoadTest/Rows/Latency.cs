using System.Diagnostics;

namespace Broker.LoadTest.Rows;

/// <summary>Percentiles of round trips in microseconds.</summary>
internal sealed record Latency(double P50, double P99, double P999)
{
    /// <summary>Sorts the ticks in place.</summary>
    public static Latency FromTicks(long[] ticks)
    {
        Array.Sort(ticks);
        return new Latency(At(ticks, 0.5), At(ticks, 0.99), At(ticks, 0.999));
    }

    private static double At(long[] sorted, double quantile) =>
        sorted[Math.Min(sorted.Length - 1, (int)(sorted.Length * quantile))] * 1e6 / Stopwatch.Frequency;
}
