namespace Broker.Hosting;

/// <summary>The time that a host has for its stop, for parts that are told a time and no token.</summary>
/// <param name="whole"><c>HostOptions.ShutdownTimeout</c>.</param>
/// <param name="time">By what it goes.</param>
internal sealed class ShutdownTime(TimeSpan whole, TimeProvider time)
{
    // Also when others have used all of it: what a peer is about to take anyway is not thrown away.
    internal static readonly TimeSpan Least = TimeSpan.FromMilliseconds(100);

    // A host without a limit; more than timers take would not be a time-out but a fault.
    internal static readonly TimeSpan Most = TimeSpan.FromDays(1);

    private long? _begin;

    /// <summary>The stop has begun; later calls do nothing.</summary>
    public void Begin() => _begin ??= time.GetTimestamp();

    /// <summary>What is left of it.</summary>
    public TimeSpan Left()
    {
        TimeSpan limit = whole == Timeout.InfiniteTimeSpan || whole > Most ? Most : whole;
        TimeSpan left = _begin is { } begin ? limit - time.GetElapsedTime(begin) : limit;
        return left > Least ? left : Least;
    }
}
