namespace Broker.Server.Tests.Harness;

/// <summary>
/// Time that goes on when a test says so. Its timers fire in order, on the thread that says it. The clock on the wall may be set besides,
/// which is no passing of time. For one thread.
/// </summary>
internal sealed class VirtualTime : TimeProvider
{
    private readonly List<Alarm> _alarms = [];
    private DateTimeOffset _now = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private TimeSpan _setBy;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _now.Ticks;

    public override DateTimeOffset GetUtcNow() => _now + _setBy;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var alarm = new Alarm(this, callback, state);
        alarm.Change(dueTime, period);
        return alarm;
    }

    internal void SetWallClock(TimeSpan by) => _setBy += by;

    internal void Advance(TimeSpan by)
    {
        DateTimeOffset end = _now + by;
        while (_alarms.Where(a => a.Due <= end).MinBy(a => a.Due) is { } next)
        {
            _now = next.Due > _now ? next.Due : _now;
            next.Fire();
        }

        _now = end;
    }

    private sealed class Alarm(VirtualTime time, TimerCallback callback, object? state) : ITimer
    {
        private TimeSpan _period;

        internal DateTimeOffset Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            time._alarms.Remove(this);
            _period = period;
            if (dueTime != Timeout.InfiniteTimeSpan)
            {
                Due = time._now + dueTime;
                time._alarms.Add(this);
            }

            return true;
        }

        public void Dispose() => time._alarms.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        internal void Fire()
        {
            Change(_period > TimeSpan.Zero ? _period : Timeout.InfiniteTimeSpan, _period);
            callback(state);
        }
    }
}
