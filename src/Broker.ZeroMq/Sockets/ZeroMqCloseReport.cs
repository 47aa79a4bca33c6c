namespace Broker.ZeroMq;

/// <summary>The messages that a closed socket could not deliver.</summary>
/// <param name="Undelivered">
/// The number of undelivered messages of all peers. A message that was sent only in part counts as undelivered.
/// </param>
/// <param name="Peers">The peers with undelivered messages.</param>
/// <remarks>
/// A message that the kernel has accepted counts as delivered, whether or not the peer reads it: ZeroMQ has no
/// acknowledgements.
/// </remarks>
public sealed record ZeroMqCloseReport(long Undelivered, IReadOnlyList<ZeroMqUndelivered> Peers);
