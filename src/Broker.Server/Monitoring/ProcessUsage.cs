using System.Diagnostics;

namespace Broker.Server.Monitoring;

/// <summary>How much of the processors the process uses, between one time it is asked and another. Thread-safe.</summary>
internal sealed class ProcessUsage
{
    // Two who ask at the same time must not divide by the microseconds between them.
    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private long _at = Stopwatch.GetTimestamp();
    private TimeSpan _used = Environment.CpuUsage.TotalTime;
    private double _percent;

    internal double Percent()
    {
        lock (_gate)
        {
            TimeSpan passed = Stopwatch.GetElapsedTime(_at);
            if (passed >= Shortest)
            {
                TimeSpan used = Environment.CpuUsage.TotalTime;
                _percent = Math.Round(100 * ((used - _used) / passed), 1);
                _used = used;
                _at = Stopwatch.GetTimestamp();
            }

            return _percent;
        }
    }
}
