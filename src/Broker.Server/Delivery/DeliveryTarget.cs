namespace Broker.Server;

/// <summary>
/// A receiver of messages: a client, an import that publishes into another account, or a part of the server that
/// answers requests. It receives the messages that match its subscriptions in a router.
/// </summary>
internal abstract class DeliveryTarget : SubscriptionOwner
{
    /// <summary>
    /// Receives one message for one of its subscriptions. It is called on the publisher's loop, which may be any loop,
    /// and must not block. The message and its route are only valid until the return.
    /// </summary>
    /// <returns>Whether the message was sent on. If not, another member of the queue group receives it.</returns>
    internal abstract bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher);
}
