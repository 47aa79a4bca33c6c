namespace Broker.Server;

/// <summary>
/// The interest of a peer server in a filter. A route does not contain this object, but one
/// <see cref="RemoteDelivery"/> for all matching interest of the peer.
/// </summary>
internal sealed class RemoteSubscription(SubscriptionOwner owner, byte[] filter, byte[]? queue, int weight)
    : Subscription(owner, filter, queue, "0"u8)
{
    /// <summary>The number of members of the queue group at the peer.</summary>
    internal int Weight { get; set; } = weight;

    // The base class reads this value from the owner, but a closed subscription has no owner.
    internal override bool IsInternal => true;
}
