using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// Called when a prefix gets its first subscriber and when it loses its last one, over all peers of a socket. A peer
/// counts once, however often it subscribed to the prefix. When a peer disconnects, all its subscriptions end.
/// </summary>
/// <param name="prefix">The prefix; only valid during the call.</param>
/// <param name="wanted">True for the first subscriber, false after the last one has unsubscribed.</param>
/// <remarks>
/// Called on the loop of the peer that made the change, one call at a time and in the order of the changes, even if
/// peers are on several loops. For each prefix, calls with true and false alternate, and the most recent call tells
/// whether the prefix is wanted. The calls are made under a lock of the socket, so they must be short, must not wait,
/// and must not call the socket, except <see cref="LoopPublisher.VisitInterest"/>. A message that is published after a
/// call with true has returned reaches that peer.
/// </remarks>
public delegate void ZeroMqInterestHandler(ReadOnlySpan<byte> prefix, bool wanted);
