namespace Broker.ZeroMq;

/// <summary>
/// A socket in a poller, with one of the two events that the poller waits for: a message has arrived, or there is room
/// to send a message. The poller's ready queue contains this object at most once.
/// </summary>
internal sealed class PolledSocket(ZeroMqPoller poller, MessageSocket socket, Func<bool> isReady, Action onReady)
{
    private int _isQueued;

    internal volatile bool IsRemoved;

    /// <summary>Queues the socket because it may be ready. May be called on any thread.</summary>
    internal void Signal()
    {
        if (Interlocked.Exchange(ref _isQueued, 1) == 0)
        {
            poller.Enqueue(this);
        }
    }

    /// <summary>Calls the handler if the socket is ready. Runs on the poller's thread.</summary>
    internal void Serve()
    {
        // Reset the flag before the readiness check, so that an event after the check queues this object again.
        Interlocked.Exchange(ref _isQueued, 0);
        if (IsRemoved)
        {
            return;
        }

        if (socket.IsClosed)
        {
            poller.Remove(socket);
            return;
        }

        if (!isReady())
        {
            return;
        }

        try
        {
            onReady();
        }
        finally
        {
            // Do this also if the handler threw, because the program may run the poller again.
            if (isReady())
            {
                Signal();
            }
        }
    }
}
