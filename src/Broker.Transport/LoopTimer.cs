namespace Broker.Transport;

/// <summary>A callback that an <see cref="EventLoop"/> will make. Used on the loop's thread only.</summary>
public sealed class LoopTimer
{
    private readonly EventLoop _loop;

    // Null once it was cancelled: until it would have been due it stands in the loop's queue, and keeps nothing alive from there.
    private Action? _callback;

    internal LoopTimer(EventLoop loop, Action callback)
    {
        _loop = loop;
        _callback = callback;
    }

    /// <summary>Whether the callback is still to come.</summary>
    public bool IsPending { get; private set; } = true;

    /// <summary>The callback will not be made. Harmless when it has been.</summary>
    public void Cancel()
    {
        if (IsPending)
        {
            IsPending = false;
            _callback = null;
            _loop.CountCancelled();
        }
    }

    /// <summary>
    /// Makes the callback once more, as <see cref="EventLoop.StartTimer"/> does, without another object. For a timer whose callback has been
    /// made or is being made: one that was cancelled may still stand in the loop's queue, and would be there twice.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not on the loop's thread, or the callback has not been made.</exception>
    public void Restart(TimeSpan due)
    {
        if (IsPending || _callback is null)
        {
            throw new InvalidOperationException("Only a timer whose callback has been made can be started again.");
        }

        _loop.Enqueue(this, due);
        IsPending = true;
    }

    /// <summary>What is to be called now that it is due; null when it was cancelled.</summary>
    internal Action? Fire()
    {
        IsPending = false;
        return _callback;
    }
}
