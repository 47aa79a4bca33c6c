namespace Broker.Server;

/// <summary>
/// The delivery of a route's messages to one peer server: each message is sent once, with the names of the queue groups
/// that receive it there.
/// </summary>
internal sealed class RemoteDelivery(SubscriptionOwner owner, byte[] queueGroups) : Subscription(owner, [], null, "0"u8)
{
    /// <summary>The names of the queue groups that only this peer has, with one space between them.</summary>
    internal byte[] QueueGroups => queueGroups;

    /// <summary>Whether the peer receives messages without a queue group too.</summary>
    internal bool IsPlain { get; init; }

    /// <summary>
    /// The queue groups that several peers have; null for none. All deliveries of a route have the same.
    /// </summary>
    internal SharedGroup[]? SharedGroups { get; init; }

    /// <summary>Whether this is the first delivery of the route, for which a random number is drawn.</summary>
    internal bool IsFirst { get; init; }

    internal override bool IsInternal => true;

    /// <summary>One queue group that several peers have, with the weights of the peers.</summary>
    internal sealed record SharedGroup(byte[] Name, (SubscriptionOwner Peer, int Weight)[] Members);
}
