namespace NetMQ;

/// <summary>
/// Wakes those who wait for one socket. A socket of Broker.ZeroMq has one callback for messages and one for room; this
/// object passes both on to any number of waiting threads, and stays when the socket of Broker.ZeroMq is replaced.
/// </summary>
internal sealed class SocketReadiness
{
    private readonly Lock _gate = new();
    private readonly Action _wakeAll;
    private StartedSocket? _started;
    private IDisposable? _messages;
    private IDisposable? _room;

    // Replaced and never changed, because the event loops read it without the lock.
    private volatile WakeSignal[] _waiting = [];

    internal SocketReadiness() => _wakeAll = WakeAll;

    /// <summary>Watches this socket from now on, and no longer the one before.</summary>
    internal void Attach(StartedSocket started)
    {
        lock (_gate)
        {
            Unwatch();
            _started = started;
            if (_waiting.Length > 0)
            {
                Watch();
            }
        }

        WakeAll();
    }

    /// <summary>Adds a thread that waits. It is woken once before this method returns.</summary>
    internal void Add(WakeSignal waiting)
    {
        lock (_gate)
        {
            _waiting = [.. _waiting, waiting];
            if (_waiting.Length == 1)
            {
                Watch();
            }
        }

        waiting.Wake();
    }

    internal void Remove(WakeSignal waiting)
    {
        lock (_gate)
        {
            int at = Array.IndexOf(_waiting, waiting);
            if (at < 0)
            {
                return;
            }

            _waiting = [.. _waiting.AsSpan(..at), .. _waiting.AsSpan((at + 1)..)];
            if (_waiting.Length == 0)
            {
                Unwatch();
            }
        }
    }

    /// <summary>Wakes all who wait. May be called on any thread.</summary>
    internal void WakeAll()
    {
        foreach (WakeSignal waiting in _waiting)
        {
            waiting.Wake();
        }
    }

    private void Watch()
    {
        _messages = _started?.Receive?.Watch(_wakeAll);
        _room = _started?.Send?.Watch(_wakeAll);

        // The callback must be visible to the event loops before the thread looks for room.
        Interlocked.MemoryBarrier();
    }

    private void Unwatch()
    {
        _messages?.Dispose();
        _room?.Dispose();
        _messages = null;
        _room = null;
    }
}
