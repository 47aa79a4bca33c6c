namespace Broker.ZeroMq.Sockets;

/// <summary>What a closed socket could not deliver.</summary>
/// <param name="Undelivered">Whole messages, over all peers; one that was sent in part counts.</param>
/// <param name="Peers">The peers concerned.</param>
/// <remarks>
/// What the kernel took counts as delivered, whether or not the peer reads it: ZeroMQ's publish/subscribe has no acknowledgement.
/// </remarks>
public sealed record ZeroMqCloseReport(long Undelivered, IReadOnlyList<ZeroMqUndelivered> Peers);
