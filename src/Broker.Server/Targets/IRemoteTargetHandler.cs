using Broker.Transport;

namespace Broker.Server;

/// <summary>Handles the messages and the interest that a <see cref="RemoteTarget"/> forwards to its peer.</summary>
public interface IRemoteTargetHandler
{
    /// <summary>
    /// Forwards a message. Called on the loop of the publisher, which may be any loop of the server and several loops
    /// at the same time. The method must not block.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="loop">The loop that calls, for example for <see cref="Connection.GetWriteBuffer"/>.</param>
    /// <returns>False if the message is lost: a requester may then learn that there are no responders.</returns>
    bool OnMessage(in RemoteMessage message, EventLoop loop);

    /// <summary>
    /// Handles a change of the account's interest: a client, another target of this server, or another account
    /// subscribed or unsubscribed. Called on any loop of the server; the calls do not overlap. The subscriptions that
    /// exist when the target is created are reported first. Each subscription is reported, so a handler must count
    /// subscriptions with the same filter and queue group. The method must not block.
    /// </summary>
    /// <param name="filter">The filter. It is valid until the method returns.</param>
    /// <param name="queueGroup">The queue group; empty without a queue group.</param>
    /// <param name="isAdded">True if the subscription was added, and false if it was removed.</param>
    void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded);

    /// <summary>
    /// Called after one or more calls of <see cref="OnInterestChanged"/>, on the same loop. A handler that announces
    /// interest to its peer must write and flush it before it returns. If a client subscribes and then publishes,
    /// <see cref="OnMessage"/> is called with the message after this method has returned. So the peer knows the
    /// subscription of a requester before it receives the request.
    /// </summary>
    /// <param name="loop">The loop that calls, for example for <see cref="Connection.GetWriteBuffer"/>.</param>
    void OnInterestReported(EventLoop loop);

    /// <summary>
    /// Called on the loop of the target when the delivery that <see cref="RemoteTarget.ContinueDelivery"/> has
    /// continued is complete, so that the peer may publish again.
    /// </summary>
    void OnDelivered();
}
