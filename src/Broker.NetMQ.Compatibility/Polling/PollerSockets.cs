namespace NetMQ;

/// <summary>The sockets of a poller. Any thread may add and remove.</summary>
internal sealed class PollerSockets(WakeSignal signal)
{
    private readonly Lock _gate = new();

    // Replaced and never changed, so that the poller's thread enumerates it without the lock.
    private volatile NetMQSocket[] _sockets = [];

    internal void Add(NetMQSocket socket)
    {
        lock (_gate)
        {
            if (_sockets.Contains(socket))
            {
                return;
            }

            _sockets = [.. _sockets, socket];
            socket.Readiness.Add(signal);
        }
    }

    internal void Remove(NetMQSocket socket)
    {
        lock (_gate)
        {
            if (_sockets.Contains(socket))
            {
                _sockets = [.. _sockets.Where(other => other != socket)];
                socket.Readiness.Remove(signal);
            }
        }
    }

    internal bool Contains(NetMQSocket socket) => _sockets.Contains(socket);

    internal void Clear() => Array.ForEach(_sockets, Remove);

    /// <summary>
    /// Raises the events of the sockets that are ready, one call for each socket. Returns whether there was one.
    /// </summary>
    /// <param name="poller">The sender of the events.</param>
    internal bool Serve(object poller)
    {
        bool wasReady = false;
        NetMQSocket[] sockets = _sockets;
        foreach (NetMQSocket socket in sockets)
        {
            // A handler may have removed or disposed a socket whose turn comes later.
            if (socket.IsDisposed)
            {
                Remove(socket);
            }
            else if (!socket.IsTerminated && (sockets == _sockets || Contains(socket)))
            {
                PollEvents ready = ReadinessOf(socket);
                wasReady |= ready != PollEvents.None;
                Raise(poller, socket, ready);
            }
        }

        return wasReady;
    }

    // A handler that meets the disposal of its socket by another thread fails, and the poller goes on.
    private static void Raise(object poller, NetMQSocket socket, PollEvents ready)
    {
        try
        {
            socket.Raise(poller, ready);
        }
        catch (ObjectDisposedException) when (socket.IsDisposed)
        {
        }
        catch (TerminatingException) when (socket.IsTerminated)
        {
        }
    }

    private static PollEvents ReadinessOf(NetMQSocket socket)
    {
        try
        {
            PollEvents wanted = socket.Wanted;
            return wanted == PollEvents.None ? PollEvents.None : socket.ReadyNow(wanted);
        }
        catch (ObjectDisposedException)
        {
            // Another thread has disposed the socket meanwhile.
            return PollEvents.None;
        }
    }
}
