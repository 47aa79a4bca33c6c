namespace Broker.Server;

/// <summary>
/// The interest of a peer server in a filter. A route does not contain this object, but one
/// <see cref="RemoteDelivery"/> for all matching interest of the peer.
/// </summary>
internal sealed class RemoteSubscription : Subscription
{
    internal RemoteSubscription(SubscriptionOwner owner, byte[] filter, byte[]? queue, int weight)
        : base(owner, filter, queue, "0"u8)
        => Weight = weight;

    // The base class reads this value from the owner, but a closed subscription has no owner.
    internal override bool IsInternal => true;
}
