namespace Broker.ZeroMq;

/// <summary>How a <see cref="RouterSocket"/> is set up.</summary>
public sealed record RouterSocketOptions : ZeroMqSocketOptions
{
    /// <summary>
    /// Whether a send throws <see cref="ZeroMqUnroutableException"/> when no peer has the routing id, and waits while that peer is full
    /// (libzmq: <c>ZMQ_ROUTER_MANDATORY</c>). While one send waits for its peer those behind it wait too, to whomever they go. A peer that
    /// goes in the very moment costs the message all the same, which is counted. Default false: such messages are dropped and counted.
    /// </summary>
    public bool Mandatory { get; init; }

    /// <summary>
    /// Whether a peer with the routing id of another takes its place, and the other is disconnected. Without it, the default, the newcomer
    /// is refused. Set it only where every peer is trusted with every id.
    /// </summary>
    public bool Handover { get; init; }
}
