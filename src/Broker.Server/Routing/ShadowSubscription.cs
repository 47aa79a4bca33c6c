namespace Broker.Server.Routing;

/// <summary>
/// Stands for a subscription of a client in another account, in the router of the account that the messages come from: routes hold
/// what it leads to.
/// </summary>
internal abstract class ShadowSubscription : Subscription
{
    private protected ShadowSubscription(Subscription origin, byte[] filter)
        : base(origin.Subscriber, filter, origin.Queue, "0"u8)
        => Origin = origin;

    /// <summary>The client's own.</summary>
    internal Subscription Origin { get; }

    internal override bool IsInternal => true;

    /// <summary>The client's own subscription; null when it may not receive the subject by the name that it has there. Under the router's lock.</summary>
    internal abstract RenamedDelivery? Resolve(ReadOnlySpan<byte> subject);
}
