namespace Broker.ZeroMq;

/// <summary>
/// The counters of a socket, summed over all its peers since the socket was created. The values may be out of date at
/// once.
/// </summary>
/// <param name="Peers">The number of connected peers with a completed handshake.</param>
/// <param name="MessagesReceived">
/// The number of received messages, including messages that matched no subscription.
/// </param>
/// <param name="MessagesSent">
/// The number of messages added to the peers' queues, counted once for each peer. A message that is sent again on the
/// next connection of an endpoint does not count again, and a message that a newer one replaces does not count
/// (<c>Conflate</c> of the options).
/// </param>
/// <param name="MessagesDropped">
/// The number of messages that were lost because a peer had no room or did not exist, or because too many connections
/// in a row ended in the middle of them.
/// </param>
/// <param name="PendingBytes">The number of bytes that are queued for connected peers.</param>
public readonly record struct ZeroMqCounts(
    int Peers, long MessagesReceived, long MessagesSent, long MessagesDropped, long PendingBytes)
{
    /// <summary>
    /// The number of received messages that were refused because they have more frames or bytes than the limits of the
    /// socket permit. Each of these messages has ended the connection that it came from.
    /// </summary>
    public long MessagesRefused { get; init; }

    /// <summary>
    /// The number of connections that this socket or the peer refused, such as one with the routing id of another peer.
    /// The event <see cref="ZeroMqEventKind.PeerRefused"/> has the reason.
    /// </summary>
    public long PeersRefused { get; init; }
}
