namespace Broker.Transport;

/// <summary>
/// The states of a connection, in their order; docs/decisions/010-pausing.md has a table of the transitions.
/// </summary>
internal enum ConnectionState
{
    /// <summary>
    /// The connection was created, and its handler's <see cref="ConnectionHandler.OnOpened"/> was not called yet.
    /// </summary>
    Opening,

    /// <summary>Bytes flow in both directions.</summary>
    Open,

    /// <summary>The peer ended its stream during a TLS handshake, which has not noticed it yet.</summary>
    PeerEnded,

    /// <summary>
    /// This side was closed with a linger time: the queue is still being sent, and received bytes are dropped.
    /// </summary>
    Flushing,

    /// <summary>As <see cref="Flushing"/>, and the peer has ended its stream too.</summary>
    FlushingAfterPeer,

    /// <summary>
    /// The queue is empty and this side's direction has ended: the connection waits for the end of the peer's.
    /// </summary>
    HalfClosed,

    /// <summary>The connection is closed.</summary>
    Closed,
}
