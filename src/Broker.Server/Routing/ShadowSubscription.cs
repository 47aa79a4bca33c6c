namespace Broker.Server;

/// <summary>
/// Represents a subscription of another account's client in the router of the account that exports the messages. Routes
/// contain the resolved deliveries.
/// </summary>
internal abstract class ShadowSubscription : Subscription
{
    private protected ShadowSubscription(Subscription origin, byte[] filter)
        : base(origin.Subscriber, filter, origin.Queue, "0"u8)
        => Origin = origin;

    /// <summary>The client's subscription.</summary>
    internal Subscription Origin { get; }

    internal override bool IsInternal => true;

    /// <summary>
    /// Returns the delivery to the client; null if the client may not receive the subject under the name that it has in
    /// its account. The caller holds the router's lock.
    /// </summary>
    internal abstract RenamedDelivery? Resolve(ReadOnlySpan<byte> subject);
}
