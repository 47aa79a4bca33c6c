namespace Broker.ZeroMq;

/// <summary>
/// Called with every subscription and cancellation of each peer, including repeated subscriptions. When a peer has
/// disconnected, it is called with a cancellation of each of that peer's subscriptions.
/// </summary>
/// <param name="peer">The peer that subscribes or unsubscribes.</param>
/// <param name="prefix">The prefix; only valid during the call.</param>
/// <param name="subscribes">True for a subscription, false for a cancellation.</param>
/// <returns>
/// False to postpone the change: it has no effect, the peer is paused, and the change is delivered again after
/// <see cref="ZeroMqPeer.ResumeReceiving"/>. The result is ignored for the cancellations of a disconnected peer.
/// </returns>
/// <remarks>
/// Called on the peer's loop; calls for peers on different loops may come at the same time. The handler must not wait.
/// An exception that it throws closes that peer's connection.
/// </remarks>
public delegate bool ZeroMqSubscriptionHandler(ZeroMqPeer peer, ReadOnlySpan<byte> prefix, bool subscribes);
