namespace Broker.Hosting;

/// <summary>
/// The time that remains for a host's stop, for parts that accept a time limit and no cancellation token.
/// </summary>
/// <param name="whole"><c>HostOptions.ShutdownTimeout</c>.</param>
/// <param name="time">The clock.</param>
internal sealed class ShutdownTime(TimeSpan whole, TimeProvider time)
{
    // A part gets at least this time, even if other parts have used all of the host's time. So messages that a peer is
    // about to accept are not dropped.
    internal static readonly TimeSpan Least = TimeSpan.FromMilliseconds(100);

    // The time limit for a host that has no limit or a longer one. Timers throw for much longer times.
    internal static readonly TimeSpan Most = TimeSpan.FromDays(1);

    private long? _begin;

    /// <summary>Starts the clock when the stop begins. Later calls do nothing.</summary>
    public void Begin() => _begin ??= time.GetTimestamp();

    /// <summary>The remaining time.</summary>
    public TimeSpan Left()
    {
        TimeSpan limit = whole == Timeout.InfiniteTimeSpan || whole > Most ? Most : whole;
        TimeSpan left = _begin is { } begin ? limit - time.GetElapsedTime(begin) : limit;
        return left > Least ? left : Least;
    }
}
