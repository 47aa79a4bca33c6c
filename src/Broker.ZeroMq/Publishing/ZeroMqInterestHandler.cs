namespace Broker.ZeroMq.Publishing;

/// <summary>
/// Told when a prefix gets its first subscriber and when it loses its last one, counted over all peers of a socket: a peer counts once
/// however often it subscribed, and its death ends all it had.
/// </summary>
/// <param name="prefix">The prefix, borrowed for the call.</param>
/// <param name="wanted">True for the first subscriber, false when the last one is gone.</param>
/// <remarks>
/// Called on the loop of the peer that made the change, one call at a time and in the order of the changes, also where peers live on
/// several loops: for each prefix true and false alternate, and a prefix is wanted exactly when the last call about it said so. The
/// calls are made under a lock of the socket, so they must be short and must not wait for anything or call the
/// socket, save for <see cref="LoopPublisher.VisitInterest"/>. A message
/// published after the call with true has returned reaches that peer.
/// </remarks>
public delegate void ZeroMqInterestHandler(ReadOnlySpan<byte> prefix, bool wanted);
