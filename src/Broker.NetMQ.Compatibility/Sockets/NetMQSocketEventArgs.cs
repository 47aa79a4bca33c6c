namespace NetMQ;

/// <summary>The arguments of a socket's events.</summary>
public class NetMQSocketEventArgs : EventArgs
{
    /// <summary>Creates arguments for a socket.</summary>
    public NetMQSocketEventArgs(NetMQSocket socket) => Socket = socket;

    /// <summary>The socket.</summary>
    public NetMQSocket Socket { get; }

    /// <summary>Whether the socket had a message when the event was raised.</summary>
    public bool IsReadyToReceive { get; private set; }

    /// <summary>Whether the socket had room for a message when the event was raised.</summary>
    public bool IsReadyToSend { get; private set; }

    internal void Set(PollEvents events)
    {
        IsReadyToReceive = events.HasIn();
        IsReadyToSend = events.HasOut();
    }
}
