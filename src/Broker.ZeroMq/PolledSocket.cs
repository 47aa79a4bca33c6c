namespace Broker.ZeroMq;

/// <summary>
/// One event of a socket that a poller waits for: a message or room for one. The poller's ready queue contains it at
/// most once.
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
        // Reset before the readiness check: an event after the check signals again.
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
            // Also if the handler threw: the poller may continue to run.
            if (isReady())
            {
                Signal();
            }
        }
    }
}
