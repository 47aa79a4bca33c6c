namespace Broker.Server;

/// <summary>The subscription of a queued message and the lengths of its parts, which lie one after the other.</summary>
internal readonly record struct QueuedMessage(
    TargetSubscription Subscription, int Subject, int ReplyTo, int Headers, int Payload)
{
    internal int Length => Subject + ReplyTo + Payload;
}
