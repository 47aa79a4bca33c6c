namespace Broker.Transport;

// The loop's timers; TimerQueue decides when they run.
public sealed partial class EventLoop
{
    private readonly TimerQueue _timers;

    internal TimerQueue Timers => _timers;

    /// <summary>
    /// Calls <paramref name="callback"/> once on this loop, not before <paramref name="due"/> has passed by the
    /// group's <see cref="EventLoopOptions.TimeProvider"/>, and at most some milliseconds later if the loop is not
    /// overloaded. A caller-driven loop calls it in the first iteration after that time. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public LoopTimer StartTimer(TimeSpan due, Action callback)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new LoopTimer(this, callback);
        Enqueue(timer, due);
        return timer;
    }

    internal void Enqueue(LoopTimer timer, TimeSpan due)
    {
        RequireCurrent();
        _timers.Add(timer, due);
    }

    /// <summary>
    /// Runs <paramref name="action"/> once on this loop after <paramref name="delay"/> has passed by the system's
    /// clock: for delays below a millisecond, for example to collect writes. On Linux it runs some ten microseconds
    /// after the delay. On other systems, or if a filter of system calls blocks the exact wait, it may run a
    /// millisecond or a tick of the system later. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public void RunAfter(TimeSpan delay, Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        RequireCurrent();
        _timers.AddShort(delay, action);
    }
}
