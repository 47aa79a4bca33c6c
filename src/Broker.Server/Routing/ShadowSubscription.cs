namespace Broker.Server;

/// <summary>
/// Represents a subscription of another account's client in the router of the exporting account. A route does not
/// contain this object, but the delivery that <see cref="Resolve"/> returns.
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
    /// Returns the delivery to the client under the message's subject in the client's account. Returns null if the
    /// client must not receive this subject. The caller holds the router's lock.
    /// </summary>
    internal abstract RenamedDelivery? Resolve(ReadOnlySpan<byte> subject);
}
