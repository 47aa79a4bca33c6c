namespace Broker.Transport;

/// <summary>A callback that an <see cref="EventLoop"/> will call. Used on the loop's thread only.</summary>
public sealed class LoopTimer
{
    private readonly EventLoop _loop;

    // Null after it was cancelled: the timer stays in the loop's queue until it would have been due, and must keep
    // nothing else in memory.
    private Action? _callback;

    internal LoopTimer(EventLoop loop, Action callback)
    {
        _loop = loop;
        _callback = callback;
    }

    /// <summary>Whether the callback has not been called yet and will be.</summary>
    public bool IsPending { get; private set; } = true;

    /// <summary>Prevents the call of the callback. Does nothing if it has been called.</summary>
    public void Cancel()
    {
        if (IsPending)
        {
            IsPending = false;
            _callback = null;
            _loop.Timers.CountCancelled();
        }
    }

    /// <summary>
    /// Schedules the callback once more, as <see cref="EventLoop.StartTimer"/> does, without allocating. For a timer
    /// whose callback has been called or is being called. A cancelled timer cannot be restarted: it may still be in
    /// the loop's queue and would be there twice.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on the loop's thread, or the callback has not been called.
    /// </exception>
    public void Restart(TimeSpan due)
    {
        if (IsPending || _callback is null)
        {
            throw new InvalidOperationException("A timer can be restarted only after its callback has been called.");
        }

        _loop.Enqueue(this, due);
        IsPending = true;
    }

    /// <summary>Returns the callback when the timer is due; null if the timer was cancelled.</summary>
    internal Action? Fire()
    {
        IsPending = false;
        return _callback;
    }
}
