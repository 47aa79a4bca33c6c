namespace Broker.Server;

/// <summary>
/// Receives the events of a <see cref="ConnectionTarget"/>. The methods are called on the publishers' loops.
/// </summary>
internal interface IConnectionOwner
{
    /// <summary>
    /// The fields of the client for a service whose import shares them. Only used on the client's own loop.
    /// </summary>
    SharedClientInfo SharedInfo { get; }

    /// <summary>Called when the subscription has received the last message that its limit permits.</summary>
    void OnLimitReached(Subscription subscription);

    /// <summary>Called when a request is delivered to the client, if the client has response permissions.</summary>
    void OnReplySubject(ReadOnlySpan<byte> reply, RoutingPublisher publisher);

    /// <summary>Called when the client begins to lose messages.</summary>
    void OnMessagesLost(SlowConsumerPolicy policy);

    /// <summary>Called before a message is written, if the target is watched.</summary>
    void OnDelivering(RoutingPublisher publisher);

    /// <summary>Called when a message does not exceed the limit of buffered bytes, if the target is traced.</summary>
    void OnAccepted(Subscription subscription, Route route, in RoutedMessage message);
}
