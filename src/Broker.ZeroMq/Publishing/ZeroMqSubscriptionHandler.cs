using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.Publishing;

/// <summary>Told of everything that each single peer says of its subscriptions, also again and again, and of all it had when it is gone.</summary>
/// <param name="peer">Who says it.</param>
/// <param name="prefix">The prefix, borrowed for the call.</param>
/// <param name="subscribes">True for a subscription, false for a cancellation.</param>
/// <returns>
/// False to leave it for later: it has not happened then, the peer is paused, and it comes again after <see cref="ZeroMqPeer.ResumeReceiving"/>.
/// What a peer leaves behind when it is gone is told of in any case.
/// </returns>
/// <remarks>
/// Called on the peer's loop, those of several loops at the same time. It must not wait for anything. What it throws closes that peer's
/// connection.
/// </remarks>
public delegate bool ZeroMqSubscriptionHandler(ZeroMqPeer peer, ReadOnlySpan<byte> prefix, bool subscribes);
