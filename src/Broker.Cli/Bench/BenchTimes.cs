using System.Diagnostics;
using HdrHistogram;

namespace Broker.Cli.Bench;

/// <summary>The distribution of times, in microseconds.</summary>
internal sealed record BenchTimes(double P50, double P90, double P99, double P999, double Longest)
{
    private const int Digits = 3;

    // In units of 100 ns.
    private static readonly long Highest = TimeSpan.FromMinutes(10).Ticks;

    /// <summary>Creates a recorder, which can be used on all threads.</summary>
    public static LongConcurrentHistogram NewRecorder() => new(1, Highest, Digits);

    /// <summary>Records the time since a time stamp of <see cref="Stopwatch"/>.</summary>
    public static void RecordSince(LongConcurrentHistogram recorder, long timestamp)
        => recorder.RecordValue(Math.Clamp(Stopwatch.GetElapsedTime(timestamp).Ticks, 1, Highest));

    /// <summary>Returns the distribution; null if nothing was recorded.</summary>
    public static BenchTimes? Of(LongConcurrentHistogram recorder)
        => recorder.TotalCount == 0
            ? null
            : new BenchTimes(At(recorder, 50), At(recorder, 90), At(recorder, 99), At(recorder, 99.9), At(recorder, 100));

    private static double At(LongConcurrentHistogram recorder, double percentile)
        => recorder.GetValueAtPercentile(percentile) / (double)TimeSpan.TicksPerMicrosecond;
}
