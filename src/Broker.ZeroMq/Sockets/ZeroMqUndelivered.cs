namespace Broker.ZeroMq.Sockets;

/// <summary>What one peer did not get.</summary>
/// <param name="Peer">The peer.</param>
/// <param name="Messages">Whole messages that were queued for it; one that was sent in part counts.</param>
/// <param name="Bytes">Octets of them that were not sent.</param>
public sealed record ZeroMqUndelivered(ZeroMqPeer Peer, long Messages, long Bytes);
