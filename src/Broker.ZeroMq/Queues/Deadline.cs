namespace Broker.ZeroMq;

/// <summary>The deadline of a call that waits. If the timeout is infinite, no clock is read.</summary>
internal readonly struct Deadline
{
    private readonly TimeProvider _clock;
    private readonly TimeSpan _time;
    private readonly long _start;

    internal Deadline(TimeSpan time, TimeProvider clock)
    {
        _clock = clock;
        _time = time;
        _start = time == Timeout.InfiniteTimeSpan ? 0 : clock.GetTimestamp();
    }

    /// <summary>The remaining milliseconds, rounded up; -1 for no timeout, 0 if the deadline has passed.</summary>
    internal int Milliseconds
    {
        get
        {
            if (_time == Timeout.InfiniteTimeSpan)
            {
                return Timeout.Infinite;
            }

            TimeSpan left = _time - _clock.GetElapsedTime(_start);
            return (int)Math.Clamp(Math.Ceiling(left.TotalMilliseconds), 0, int.MaxValue);
        }
    }
}
