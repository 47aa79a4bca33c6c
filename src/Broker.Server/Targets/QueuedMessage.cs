namespace Broker.Server;

/// <summary>
/// The subscription of a queued message, and the lengths of the message's parts. The parts are consecutive bytes of the
/// buffer.
/// </summary>
internal readonly record struct QueuedMessage(
    TargetSubscription Subscription, int Subject, int ReplyTo, int Headers, int Payload)
{
    internal int Length => Subject + ReplyTo + Payload;
}
