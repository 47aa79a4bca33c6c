namespace Broker.ZeroMq.Sockets;

/// <summary>Times to wait that are longer than the system's timers take.</summary>
internal static class LongTimes
{
    // Seven weeks: no process closes for that long.
    private static readonly TimeSpan _longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    /// <summary>As long as a timer can wait for what is to be waited for longer than that, or for ever.</summary>
    internal static TimeSpan Bounded(this TimeSpan time) => time == Timeout.InfiniteTimeSpan || time > _longest ? _longest : time;

    /// <exception cref="ArgumentOutOfRangeException">Neither a time nor <see cref="Timeout.InfiniteTimeSpan"/>.</exception>
    internal static void Require(TimeSpan time, string name)
    {
        if (time != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero, name);
        }
    }
}
