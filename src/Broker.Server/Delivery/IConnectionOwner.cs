using Broker.Server.Routing;

namespace Broker.Server.Delivery;

/// <summary>Who is told of what happens to a <see cref="ConnectionTarget"/>. Called on publishers' loops.</summary>
internal interface IConnectionOwner
{
    /// <summary>The subscription has had the last message that its limit lets it have.</summary>
    void OnLimitReached(Subscription subscription);

    /// <summary>The client is sent a message that asks for an answer, and its permissions speak of answers.</summary>
    void OnReplySubject(ReadOnlySpan<byte> reply, Publisher publisher);

    /// <summary>The client begins to lose messages.</summary>
    void OnLosing(SlowConsumerPolicy policy);

    /// <summary>A message is about to be written, where that is watched.</summary>
    void OnDelivering(Publisher publisher);

    /// <summary>The client is sent a message, where that is watched: it was found that there is room.</summary>
    void OnTaken(Subscription subscription, Route route, in Message message);
}
