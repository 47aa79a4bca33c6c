namespace Broker.ZeroMq;

/// <summary>One thing that a poller waits for at a socket, messages or room. It is in the poller's queue of those that are ready at most once.</summary>
internal sealed class PolledSocket(ZeroMqPoller poller, MessageSocket socket, Func<bool> isReady, Action onReady)
{
    private int _isQueued;

    internal volatile bool IsRemoved;

    /// <summary>It may be ready. Any thread.</summary>
    internal void Signal()
    {
        if (Interlocked.Exchange(ref _isQueued, 1) == 0)
        {
            poller.Enqueue(this);
        }
    }

    /// <summary>Calls the handler if it is ready. On the poller's thread.</summary>
    internal void Serve()
    {
        // Before it is looked: what comes after that signals anew.
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
            // Also after what the handler has thrown: the poller may run on.
            if (isReady())
            {
                Signal();
            }
        }
    }
}
