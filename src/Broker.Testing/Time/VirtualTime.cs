namespace Broker.Testing.Time;

/// <summary>
/// Time that goes on when a test says so: for PINGs, deadlines and delays that would otherwise take as long as they say. A broker goes by it when
/// its <c>LoopOptions</c> name it, a <c>FaultLink</c> when it is opened with it.
/// </summary>
/// <remarks>Thread-safe. Timers fire in the order of their times, on the thread that calls <see cref="Advance"/>.</remarks>
public sealed class VirtualTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Alarm> _alarms = [];
    private DateTimeOffset _now = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private TimeSpan _wallClockSetBy;

    /// <inheritdoc/>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>How many timers wait. A test that wants one to fire waits first until it is there.</summary>
    public int Timers
    {
        get
        {
            lock (_gate)
            {
                return _alarms.Count;
            }
        }
    }

    /// <inheritdoc/>
    public override long GetTimestamp() => Now().Ticks;

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow()
    {
        lock (_gate)
        {
            return _now + _wallClockSetBy;
        }
    }

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var alarm = new Alarm(this, callback, state);
        alarm.Change(dueTime, period);
        return alarm;
    }

    /// <summary>Lets so much time pass. What falls due meanwhile has been called when it returns.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public void Advance(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        DateTimeOffset end = Now() + by;
        while (TakeNext(end) is { } due)
        {
            due.Fire();
        }
    }

    /// <summary>
    /// Sets the clock on the wall, as an operator or a time server does. No time passes by it: no timer comes nearer, and only what goes by the date,
    /// such as the end of a certificate or of a JWT, sees it.
    /// </summary>
    /// <param name="by">How much later it then is; negative for earlier. It adds to what was set before.</param>
    public void SetWallClock(TimeSpan by)
    {
        lock (_gate)
        {
            _wallClockSetBy += by;
        }
    }

    private DateTimeOffset Now()
    {
        lock (_gate)
        {
            return _now;
        }
    }

    // The next that is due until then, at whose time it then is; else it is that time.
    private Alarm? TakeNext(DateTimeOffset end)
    {
        lock (_gate)
        {
            Alarm? next = _alarms.Where(a => a.Due <= end).MinBy(a => a.Due);
            DateTimeOffset at = next is null ? end : next.Due;
            _now = at > _now ? at : _now;
            next?.Rearm();
            return next;
        }
    }

    private sealed class Alarm(VirtualTime time, TimerCallback callback, object? state) : ITimer
    {
        private TimeSpan _period;
        private bool _disposed;

        internal DateTimeOffset Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._gate)
            {
                if (_disposed)
                {
                    return false;
                }

                _period = period;
                Set(dueTime);
                return true;
            }
        }

        public void Dispose()
        {
            lock (time._gate)
            {
                _disposed = true;
                time._alarms.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        // Under the gate.
        internal void Rearm() => Set(_period > TimeSpan.Zero ? _period : Timeout.InfiniteTimeSpan);

        internal void Fire() => callback(state);

        private void Set(TimeSpan dueTime)
        {
            time._alarms.Remove(this);
            if (dueTime != Timeout.InfiniteTimeSpan)
            {
                Due = time._now + dueTime;
                time._alarms.Add(this);
            }
        }
    }
}
