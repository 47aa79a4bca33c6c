namespace Broker.ZeroMq;

/// <summary>The options of a <see cref="RouterSocket"/>.</summary>
public sealed record RouterSocketOptions : ZeroMqSocketOptions
{
    /// <summary>
    /// Whether a send throws <see cref="ZeroMqUnroutableException"/> if no peer has the message's routing id, and waits
    /// while the queue of the peer with that id is full (libzmq: <c>ZMQ_ROUTER_MANDATORY</c>). While one send waits,
    /// later sends to other peers wait too. If the peer disconnects during the send, the message is still dropped and
    /// counted. Default false: a message is dropped and counted if its peer does not exist or has a full queue.
    /// </summary>
    public bool Mandatory { get; init; }

    /// <summary>
    /// Whether a new peer replaces a connected peer with the same routing id; the old connection is then closed. If
    /// false, the default, the new peer is refused. Set this option only if you trust every peer with every routing id.
    /// </summary>
    public bool Handover { get; init; }

    /// <summary>
    /// Whether an empty message is received from each peer when it has connected (libzmq: <c>ZMQ_NOTIFY_CONNECT</c> of
    /// <c>ZMQ_ROUTER_NOTIFY</c>). Default false.
    /// </summary>
    public bool NotifyConnect { get; init; }

    /// <summary>
    /// Whether an empty message is received from each peer when it has disconnected (libzmq:
    /// <c>ZMQ_NOTIFY_DISCONNECT</c>). Default false.
    /// </summary>
    public bool NotifyDisconnect { get; init; }
}
