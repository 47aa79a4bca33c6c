namespace Broker.ZeroMq;

/// <summary>
/// Called with every subscription and cancellation of each peer, including repeated ones, and with all its
/// subscriptions as cancellations when the peer has disconnected.
/// </summary>
/// <param name="peer">The peer that subscribes or unsubscribes.</param>
/// <param name="prefix">The prefix; only valid during the call.</param>
/// <param name="subscribes">True for a subscription, false for a cancellation.</param>
/// <returns>
/// False to postpone the change: it has no effect, the peer is paused, and the change is delivered again after
/// <see cref="ZeroMqPeer.ResumeReceiving"/>. The result is ignored for the cancellations of a disconnected peer.
/// </returns>
/// <remarks>
/// Called on the peer's loop; peers on different loops call at the same time. It must not wait. An exception that it
/// throws closes that peer's connection.
/// </remarks>
public delegate bool ZeroMqSubscriptionHandler(ZeroMqPeer peer, ReadOnlySpan<byte> prefix, bool subscribes);
