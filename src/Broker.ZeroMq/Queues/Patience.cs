namespace Broker.ZeroMq.Queues;

/// <summary>How long a call that found nothing at first goes on waiting. No clock is read for a time without end.</summary>
internal readonly struct Patience
{
    private readonly TimeProvider _clock;
    private readonly TimeSpan _time;
    private readonly long _start;

    internal Patience(TimeSpan time, TimeProvider clock)
    {
        _clock = clock;
        _time = time;
        _start = time == Timeout.InfiniteTimeSpan ? 0 : clock.GetTimestamp();
    }

    /// <summary>What is left, rounded up; -1 for ever, 0 when it is over.</summary>
    internal int Milliseconds
    {
        get
        {
            if (_time == Timeout.InfiniteTimeSpan)
            {
                return Timeout.Infinite;
            }

            var left = _time - _clock.GetElapsedTime(_start);
            return (int)Math.Clamp(Math.Ceiling(left.TotalMilliseconds), 0, int.MaxValue);
        }
    }
}
