using System.Diagnostics;

namespace Broker.Server;

/// <summary>Measures the CPU usage of the process between two calls. Thread-safe.</summary>
internal sealed class ProcessUsage
{
    // The minimum time between two measurements. Otherwise two calls in quick succession would divide by a few
    // microseconds.
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
