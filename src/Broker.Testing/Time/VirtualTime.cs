namespace Broker.Testing;

/// <summary>
/// A clock that only advances when a test calls <see cref="Advance"/>. So PINGs, deadlines and delays take no real
/// time. Pass it to a broker in its <c>LoopOptions</c>, and to a <c>FaultLink</c> as the argument of its <c>Open</c>
/// method.
/// </summary>
/// <remarks>
/// Thread-safe. Timers fire in the order of their due times, on the thread that calls <see cref="Advance"/>.
/// </remarks>
public sealed class VirtualTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Alarm> _alarms = [];
    private DateTimeOffset _now = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private TimeSpan _wallClockSetBy;

    /// <inheritdoc/>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>
    /// The number of pending timers. Before a test calls <see cref="Advance"/> to fire a timer, it waits until this
    /// timer is pending.
    /// </summary>
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

    /// <summary>
    /// Advances the clock. When the method returns, the callbacks of all timers that have become due have been called.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="by"/> is negative.</exception>
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
    /// Changes the date, as an operator or a time server does. No time passes, so timers are not affected. Only code
    /// that compares dates is affected, such as the check for the expiry of a certificate or of a JWT.
    /// </summary>
    /// <param name="by">The change of the date. A negative value means an earlier date. Several changes add up.</param>
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

    // Returns the next timer that is due before or at the end time, and sets the clock to the due time. If there is no
    // such timer, sets the clock to the end time.
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

        // The caller holds the lock of the clock.
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
