namespace Broker.ZeroMq.Loops;

/// <summary>Bounds and checks times that may be infinite or longer than a timer supports.</summary>
internal static class TimeoutLimits
{
    // Seven weeks: longer than any close needs.
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    /// <summary>Replaces an infinite or too long time with the longest time that a timer supports.</summary>
    internal static TimeSpan Bounded(this TimeSpan time)
        => time == Timeout.InfiniteTimeSpan || time > Longest ? Longest : time;

    /// <exception cref="ArgumentOutOfRangeException">
    /// The time is negative and not <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </exception>
    internal static void Require(TimeSpan time, string name)
    {
        if (time != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero, name);
        }
    }
}
