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
    /// <param name="sender">What has polled the socket.</param>
    /// <param name="events">The events.</param>
    internal void Raise(object sender, PollEvents events)
    {
        if (socket.IsDisposed || events == PollEvents.None)
        {
            return;
        }

        _args.Set(events);
        if (events.HasIn())
        {
            ReceiveReady?.Invoke(sender, _args);
        }

        if (events.HasOut())
        {
            SendReady?.Invoke(sender, _args);
        }
    }
}
