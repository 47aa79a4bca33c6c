using System.Diagnostics;

namespace NetMQ;

/// <summary>The timers of a poller. Any thread may add and remove.</summary>
internal sealed class PollerTimers(WakeSignal signal)
{
    private readonly Lock _gate = new();
    private volatile NetMQTimer[] _timers = [];

    internal void Add(NetMQTimer timer)
    {
        lock (_gate)
        {
            if (_timers.Contains(timer))
            {
                return;
            }

            _timers = [.. _timers, timer];
            timer.Changed += signal.Wake;
        }

        timer.Restart();
    }

    internal void Remove(NetMQTimer timer)
    {
        lock (_gate)
        {
            if (_timers.Contains(timer))
            {
                _timers = [.. _timers.Where(other => other != timer)];
                timer.Changed -= signal.Wake;
            }
        }
    }

    internal bool Contains(NetMQTimer timer) => _timers.Contains(timer);

    internal void Clear() => Array.ForEach(_timers, Remove);

    /// <summary>Begins all intervals anew, because the poller begins to run.</summary>
    internal void Restart() => Array.ForEach(_timers, static timer => timer.Restart());

    /// <summary>Raises the events of the timers that are due.</summary>
    internal void Serve(object poller)
    {
        NetMQTimer[] timers = _timers;
        if (timers.Length == 0)
        {
            return;
        }

        long now = Stopwatch.GetTimestamp();
        foreach (NetMQTimer timer in timers)
        {
            if (timers == _timers || Contains(timer))
            {
                timer.RaiseIfDue(poller, now);
            }
        }
    }

    /// <summary>How long it is from a timestamp to the next timer; negative if there is none.</summary>
    internal TimeSpan Until(long start)
    {
        long next = long.MaxValue;
        foreach (NetMQTimer timer in _timers)
        {
            next = Math.Min(next, timer.Due);
        }

        return next == long.MaxValue ? Timeout.InfiniteTimeSpan : Stopwatch.GetElapsedTime(start, Math.Max(start, next));
    }
}
