namespace NetMQ;

/// <summary>The handlers of a socket's events.</summary>
internal sealed class SocketHandlers(NetMQSocket socket)
{
    private readonly NetMQSocketEventArgs _args = new(socket);

    internal event EventHandler<NetMQSocketEventArgs>? ReceiveReady;

    internal event EventHandler<NetMQSocketEventArgs>? SendReady;

    /// <summary>The events that have a handler.</summary>
    internal PollEvents Wanted => (ReceiveReady is null ? PollEvents.None : PollEvents.PollIn)
        | (SendReady is null ? PollEvents.None : PollEvents.PollOut);

    /// <summary>Calls the handlers of the events that a poll has found.</summary>
    internal void Raise(PollEvents events)
    {
        if (socket.IsDisposed || events == PollEvents.None)
        {
            return;
        }

        _args.Set(events);
        if (events.HasIn())
        {
            ReceiveReady?.Invoke(socket, _args);
        }

        if (events.HasOut())
        {
            SendReady?.Invoke(socket, _args);
        }
    }
}
