using System.Diagnostics;

namespace NetMQ;

/// <summary>
/// Raises an event periodically while it is in a poller that runs. The next interval begins when the handlers of the
/// event have returned.
/// </summary>
public class NetMQTimer
{
    private const long Never = long.MaxValue;

    private readonly NetMQTimerEventArgs _args;
    private int _interval;
    private bool _isEnabled = true;

    // When the timer is due, as a timestamp of Stopwatch. The poller's thread and the program's set it.
    private long _due = Never;

    /// <summary>Creates a timer that is enabled.</summary>
    /// <param name="interval">The interval, which is rounded down to milliseconds.</param>
    public NetMQTimer(TimeSpan interval)
        : this((int)interval.TotalMilliseconds)
    {
    }

    /// <summary>Creates a timer that is enabled.</summary>
    /// <param name="interval">The interval in milliseconds.</param>
    public NetMQTimer(int interval)
    {
        _interval = interval;
        _args = new NetMQTimerEventArgs(this);
    }

    /// <summary>Raised on the poller's thread when the interval is over.</summary>
    public event EventHandler<NetMQTimerEventArgs>? Elapsed;

    /// <summary>The interval in milliseconds. A change begins the interval anew.</summary>
    public int Interval
    {
        get => Volatile.Read(ref _interval);
        set
        {
            Volatile.Write(ref _interval, value);
            Restart();
        }
    }

    /// <summary>Whether the timer raises its event. A change begins the interval anew.</summary>
    public bool Enable
    {
        get => Volatile.Read(ref _isEnabled);
        set
        {
            if (Volatile.Read(ref _isEnabled) != value)
            {
                Volatile.Write(ref _isEnabled, value);
                Restart();
            }
        }
    }

    /// <summary>Raised on any thread when the timer may be due earlier than before.</summary>
    internal event Action? Changed;

    /// <summary>When the timer is due, as a timestamp of <see cref="Stopwatch"/>.</summary>
    internal long Due => Volatile.Read(ref _due);

    /// <summary>Enables the timer, and begins the interval anew.</summary>
    public void EnableAndReset()
    {
        Volatile.Write(ref _isEnabled, true);
        Restart();
    }

    /// <summary>Begins the interval anew.</summary>
    internal void Restart()
    {
        Volatile.Write(ref _due, Enable ? Stopwatch.GetTimestamp() + Ticks(Interval) : Never);
        Changed?.Invoke();
    }

    /// <summary>Raises the event if the timer is due. Called on the poller's thread.</summary>
    internal void RaiseIfDue(object poller, long now)
    {
        long due = Due;
        if (due > now)
        {
            return;
        }

        // A handler that sets the interval or disables the timer has decided about the next time itself.
        Volatile.Write(ref _due, Never);
        Elapsed?.Invoke(poller, _args);
        if (Due == Never && Enable)
        {
            Restart();
        }
    }

    private static long Ticks(int milliseconds) => milliseconds * (Stopwatch.Frequency / 1000);
}
