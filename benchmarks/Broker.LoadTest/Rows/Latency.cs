using System.Diagnostics;

namespace Broker.LoadTest.Rows;

/// <summary>Measured round trips and their percentiles in microseconds.</summary>
internal sealed class Latency
{
    private readonly long[] _sorted;

    private Latency(long[] sorted) => _sorted = sorted;

    /// <summary>The number of round trips, which shows how reliable a percentile is.</summary>
    public int Count => _sorted.Length;

    public double P50 => At(0.5);

    public double P99 => At(0.99);

    public double P999 => At(0.999);

    /// <summary>Takes ownership of at least one tick value and sorts the values in place.</summary>
    public static Latency FromTicks(long[] ticks)
    {
        Array.Sort(ticks);
        return new Latency(ticks);
    }

    /// <summary>Combines the round trips of several measurements; null if there are none.</summary>
    public static Latency? Pool(IEnumerable<Latency> parts)
    {
        long[] all = [.. parts.SelectMany(part => part._sorted)];
        return all.Length == 0 ? null : FromTicks(all);
    }

    private double At(double quantile) => _sorted[Math.Min(_sorted.Length - 1, (int)(_sorted.Length * quantile))] * 1e6 / Stopwatch.Frequency;
}
