using System.Diagnostics;
using HdrHistogram;

namespace Broker.HostileRun.Honest;

/// <summary>
/// The times of one kind of honest traffic in each phase. One thread records; others read at the end.
/// </summary>
internal sealed class TimeMeter
{
    private const int Digits = 3;

    // In units of 100 ns.
    private static readonly long Highest = TimeSpan.FromMinutes(10).Ticks;

    private readonly LongHistogram[] _phases = [new(Highest, Digits), new(Highest, Digits)];
    private volatile Phase _phase = Phase.WarmUp;

    /// <summary>Counts the times that follow to this phase.</summary>
    public void Enter(Phase phase) => _phase = phase;

    /// <summary>Records the time since a time stamp of <see cref="Stopwatch"/>.</summary>
    public void RecordSince(long timestamp)
    {
        Phase phase = _phase;
        if (phase is Phase.Alone or Phase.Attacked)
        {
            _phases[phase - Phase.Alone].RecordValue(Math.Clamp(Stopwatch.GetElapsedTime(timestamp).Ticks, 0, Highest));
        }
    }

    /// <summary>A percentile in milliseconds; null if nothing was recorded.</summary>
    public double? Percentile(Phase phase, double percentile)
    {
        LongHistogram times = _phases[phase - Phase.Alone];
        return times.TotalCount == 0 ? null : times.GetValueAtPercentile(percentile) / (double)TimeSpan.TicksPerMillisecond;
    }

    /// <summary>The longest time in milliseconds; null if nothing was recorded.</summary>
    public double? Longest(Phase phase) => Percentile(phase, 100);
}
