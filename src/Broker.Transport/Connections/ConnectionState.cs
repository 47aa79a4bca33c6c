namespace Broker.Transport;

/// <summary>
/// The states of a connection, in their order. docs/decisions/010-pausing.md has a table of the transitions.
/// </summary>
internal enum ConnectionState
{
    /// <summary>
    /// The connection was created, and its handler's <see cref="ConnectionHandler.OnOpened"/> was not called yet.
    /// </summary>
    Opening,

    /// <summary>Bytes flow in both directions.</summary>
    Open,

    /// <summary>The peer ended its stream during a TLS handshake, and the handshake has not noticed this yet.</summary>
    PeerEnded,

    /// <summary>
    /// This side was closed with a linger time. The queue is still being sent, and received bytes are dropped.
    /// </summary>
    Flushing,

    /// <summary>Like <see cref="Flushing"/>, but the peer has ended its stream too.</summary>
    FlushingAfterPeer,

    /// <summary>
    /// The queue is empty and this side's direction has ended. The connection waits until the peer ends the other
    /// direction.
    /// </summary>
    HalfClosed,

    /// <summary>The connection is closed.</summary>
    Closed,
}
