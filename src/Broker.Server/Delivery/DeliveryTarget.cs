namespace Broker.Server;

/// <summary>
/// A receiver of messages: a client, an import that publishes into another account, or a part of the server that
/// answers requests. It receives the messages that match its subscriptions in a router.
/// </summary>
internal abstract class DeliveryTarget : SubscriptionOwner
{
    /// <summary>
    /// Receives one message for one subscription of this target. The publisher's loop, which may be any loop, calls
    /// this method. The method must not block. The message and its route are only valid until the method returns.
    /// </summary>
    /// <returns>
    /// True if the target accepted the message. If false, another member of the queue group receives the message.
    /// </returns>
    internal abstract bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher);
}
