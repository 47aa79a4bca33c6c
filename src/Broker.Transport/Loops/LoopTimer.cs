namespace Broker.Transport;

/// <summary>A callback that an <see cref="EventLoop"/> will call. Used on the loop's thread only.</summary>
public sealed class LoopTimer
{
    private readonly EventLoop _loop;

    // Null after the timer was canceled. A canceled timer stays in the loop's queue until it would have been due, and
    // must keep nothing else in memory.
    private Action? _callback;

    internal LoopTimer(EventLoop loop, Action callback)
    {
        _loop = loop;
        _callback = callback;
    }

    /// <summary>Whether the callback will still be called.</summary>
    public bool IsPending { get; private set; } = true;

    /// <summary>Prevents the call of the callback. If the callback was already called, this does nothing.</summary>
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
    /// Schedules the callback once more, like <see cref="EventLoop.StartTimer"/>, but without allocating. This is for a
    /// timer whose callback has been called or is being called. A canceled timer cannot be restarted: it may still be
    /// in the loop's queue, and would then be in the queue twice.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on the loop's thread, or the callback has not been called yet.
    /// </exception>
    public void Restart(TimeSpan due)
    {
        if (IsPending || _callback is null)
        {
            throw new InvalidOperationException("A timer can be restarted only after its callback has been called.");
        }

        _loop.RequireCurrent();
        _loop.Timers.Add(this, due);
        IsPending = true;
    }

    /// <summary>Returns the callback of a due timer; null if the timer was canceled.</summary>
    internal Action? Fire()
    {
        IsPending = false;
        return _callback;
    }
}
