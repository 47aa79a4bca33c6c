namespace Broker.ZeroMq;

/// <summary>An event of a socket for a log. Events are never created per message.</summary>
/// <param name="Kind">The kind of the event.</param>
/// <param name="Endpoint">The endpoint that was bound or connected.</param>
/// <param name="Address">
/// The peer's address as an endpoint; the same as <paramref name="Endpoint"/> if there is no address.
/// </param>
/// <param name="Peer">The peer; null before its handshake is complete.</param>
/// <param name="Reason">
/// The reason as a phrase without line breaks and control characters. If the reason contains text that the peer sent,
/// that text is reduced to visible ASCII.
/// </param>
/// <param name="Undelivered">
/// The number of messages that were queued for the peer and lost when it disconnected, or that were dropped.
/// </param>
public sealed record ZeroMqEvent(
    ZeroMqEventKind Kind, string Endpoint, string Address, ZeroMqPeer? Peer, string? Reason, long Undelivered = 0);
