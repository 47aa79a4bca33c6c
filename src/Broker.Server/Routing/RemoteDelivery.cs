namespace Broker.Server;

/// <summary>
/// The delivery of a route's messages to one peer server: each message is sent once, with the names of the queue groups
/// that receive it there.
/// </summary>
internal sealed class RemoteDelivery(SubscriptionOwner owner, byte[] queueGroups) : Subscription(owner, [], null, "0"u8)
{
    /// <summary>The names of the peer's queue groups, with one space between them.</summary>
    internal byte[] QueueGroups => queueGroups;

    internal override bool IsInternal => true;
}
