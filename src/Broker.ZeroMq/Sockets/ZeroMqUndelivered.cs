namespace Broker.ZeroMq;

/// <summary>The messages that one peer did not get.</summary>
/// <param name="Peer">The peer.</param>
/// <param name="Messages">
/// The number of messages that were queued for the peer. A message that was sent only in part counts too.
/// </param>
/// <param name="Bytes">The number of bytes of these messages that were not sent.</param>
public sealed record ZeroMqUndelivered(ZeroMqPeer Peer, long Messages, long Bytes);
