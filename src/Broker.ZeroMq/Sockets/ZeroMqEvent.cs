namespace Broker.ZeroMq.Sockets;

/// <summary>Something that belongs into a log. Never made per message.</summary>
/// <param name="Kind">What it is about.</param>
/// <param name="Endpoint">The endpoint that was bound or connected.</param>
/// <param name="Address">The peer's address as an endpoint, where there is one; otherwise the same as <paramref name="Endpoint"/>.</param>
/// <param name="Peer">The peer, once its handshake is complete.</param>
/// <param name="Reason">
/// A phrase without line breaks and control characters. What a peer said of itself appears in it as visible ASCII only.
/// </param>
/// <param name="Undelivered">Whole messages that were queued for the peer and lost when it went.</param>
public sealed record ZeroMqEvent(
    ZeroMqEventKind Kind, string Endpoint, string Address, ZeroMqPeer? Peer, string? Reason, long Undelivered = 0);
