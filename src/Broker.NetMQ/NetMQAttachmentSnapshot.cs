namespace Broker.NetMQ;

/// <summary>
/// The counters of an attachment at one moment. The counters of its route are in <c>ZeroMqBridge.Snapshot</c>.
/// </summary>
public readonly record struct NetMQAttachmentSnapshot
{
    /// <summary>The number of messages that were received from the NetMQ socket.</summary>
    public long FromNetMQ { get; init; }

    /// <summary>The number of messages of the NetMQ socket that the route's side has taken.</summary>
    public long ToRoute { get; init; }

    /// <summary>The number of messages that came from the route.</summary>
    public long FromRoute { get; init; }

    /// <summary>The number of messages that the NetMQ socket has accepted.</summary>
    public long ToNetMQ { get; init; }

    /// <summary>
    /// The number of messages that were dropped: while no server was connected
    /// (<see cref="WhileServerAway.Drop"/>), because a ROUTER socket has no such peer, because their frames do not fit
    /// the socket, or because the attachment ended.
    /// </summary>
    public long Dropped { get; init; }

    /// <summary>How many times the attachment paused its NetMQ socket because the route's side was full.</summary>
    public long Pauses { get; init; }

    /// <summary>Whether the NetMQ socket is paused now.</summary>
    public bool IsPaused { get; init; }
}
