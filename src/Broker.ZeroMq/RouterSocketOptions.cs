namespace Broker.ZeroMq;

/// <summary>The options of a <see cref="RouterSocket"/>.</summary>
public sealed record RouterSocketOptions : ZeroMqSocketOptions
{
    /// <summary>
    /// Whether a send throws <see cref="ZeroMqUnroutableException"/> if no peer has the routing id, and waits while
    /// that peer's queue is full (libzmq: <c>ZMQ_ROUTER_MANDATORY</c>). While one send waits for its peer, later sends
    /// wait too, whatever their peer. If the peer disconnects at the same moment, the message is still lost and
    /// counted. Default false: such messages are dropped and counted.
    /// </summary>
    public bool Mandatory { get; init; }

    /// <summary>
    /// Whether a new peer with the routing id of a connected peer replaces it, and the old connection is closed. If
    /// false, the default, the new peer is refused. Use it only if every peer is trusted with every id.
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
