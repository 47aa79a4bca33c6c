namespace Broker.Transport;

/// <summary>A callback that an <see cref="EventLoop"/> will make once. Used on the loop's thread only.</summary>
public sealed class LoopTimer
{
    private readonly EventLoop _loop;
    private Action? _callback;

    internal LoopTimer(EventLoop loop, Action callback)
    {
        _loop = loop;
        _callback = callback;
    }

    /// <summary>Whether the callback is still to come.</summary>
    public bool IsPending => _callback is not null;

    /// <summary>The callback will not be made. Harmless when it has been.</summary>
    public void Cancel()
    {
        if (_callback is not null)
        {
            _callback = null;
            _loop.CountCancelled();
        }
    }

    internal void Fire()
    {
        Action? callback = _callback;
        _callback = null;
        callback?.Invoke();
    }
}
