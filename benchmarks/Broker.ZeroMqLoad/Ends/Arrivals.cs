using System.Diagnostics;

namespace Broker.ZeroMqLoad.Ends;

/// <summary>What comes where nobody knows how much will: it has ended when nothing came for a while.</summary>
internal sealed class Arrivals
{
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(1);

    private Meter? _meter;
    private int _count;
    private int _seen;
    private long _lastSeen;
    private TimeSpan _usedThen;

    /// <summary>Whether nothing has come since it was asked a while ago. To be asked every now and then.</summary>
    public bool HasEnded
    {
        get
        {
            int now = Volatile.Read(ref _count);
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
        if (_count++ == 0)
        {
            _meter = Meter.Start();
        }
    }

    public void Report() => _meter!.Report("sub", _count, _lastSeen, _usedThen);
}
