using System.Diagnostics;

namespace Broker.ZeroMqLoad.Ends;

/// <summary>
/// Counts received messages when their number is unknown. They have ended when none arrives for a while.
/// </summary>
/// <param name="warmUp">The time before the measurement.</param>
internal sealed class Arrivals(TimeSpan warmUp = default)
{
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(1);

    private Meter? _meter;
    private int _count;
    private int _before;
    private long _first;
    private int _seen;
    private long _lastSeen;
    private TimeSpan _usedThen;

    /// <summary>Whether no message arrived since an earlier call. It must be read repeatedly.</summary>
    public bool HasEnded
    {
        get
        {
            int now = Volatile.Read(ref _count);
            if (now > 0 && _meter is null && warmUp > TimeSpan.Zero)
            {
                _first = _first == 0 ? Stopwatch.GetTimestamp() : _first;
                if (Stopwatch.GetElapsedTime(_first) >= warmUp)
                {
                    _before = now;
                    _meter = Meter.Start();
                }
            }

            if (now != _seen)
            {
                _seen = now;
                _lastSeen = Stopwatch.GetTimestamp();
                _usedThen = Environment.CpuUsage.TotalTime;
            }

            return now > 0 && Stopwatch.GetElapsedTime(_lastSeen) > Silence;
        }
    }

    public void Count()
    {
        if (_count++ == 0 && warmUp == TimeSpan.Zero)
        {
            _meter = Meter.Start();
        }
    }

    public void Report()
    {
        if (_meter is null)
        {
            throw new InvalidOperationException("The messages ended before the measurement began.");
        }

        Console.WriteLine($"total={_count}");
        _meter.Report("sub", _count - _before, _lastSeen, _usedThen);
    }
}
