using Broker.Server.Routing;

namespace Broker.Server.Delivery;

/// <summary>
/// Whom messages are delivered to: a client, an import that publishes on into another account, a part of the server that answers.
/// Whatever has one of these and a <see cref="Subscription"/> in a router is sent what clients publish.
/// </summary>
internal abstract class DeliveryTarget : Subscriber
{
    /// <summary>
    /// Takes one message for one of its subscriptions. Called on the loop of whoever publishes, which may be any: nothing may block,
    /// and what is borrowed (the message, its route) is good until the return.
    /// </summary>
    /// <returns>Whether it has been sent on; of a queue group another member is asked if not.</returns>
    internal abstract bool Deliver(Subscription subscription, Route route, in Message message, Publisher publisher);
}
