using System.Buffers;

namespace Broker.Server;

/// <summary>Forwards replies from the account that exports a service to the account of the requester.</summary>
internal sealed class ReplyTarget(Account requestor, Account exporter) : DeliveryTarget
{
    private const long DefaultLifetime = 2 * 60 * 1000;

    internal override bool IsInternal => true;

    /// <summary>Creates the subscription for the exporter's router.</summary>
    internal Subscription Subscribe() => new(this, requestor.Requests.Filter, null, "0"u8);

    internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        bool isEmpty = message.Payload.IsEmpty;
        long now = publisher.Loop.LastTick;
        if (requestor.Requests.Take(message.Subject, exporter, isEmpty, now, out int length) is not { } rented)
        {
            return false;
        }

        int delivered = Answer(rented.AsSpan(0, length), in message, publisher);
        ArrayPool<byte>.Shared.Return(rented);
        return delivered != 0;
    }

    // Delivers a reply to the requester. If the reply has a reply subject of its own, the requester may answer it.
    private int Answer(ReadOnlySpan<byte> replyTo, in RoutedMessage message, RoutingPublisher publisher)
    {
        ReadOnlySpan<byte> subject = requestor.Router.Map(replyTo);
        Route route = requestor.Router.Find(subject);
        if (subject.IsEmpty || route.IsEmpty)
        {
            return 0;
        }

        if (message.ReplyTo.IsEmpty)
        {
            return publisher.Import(message.WithSubject(subject), route);
        }

        Span<byte> reply = stackalloc byte[ForwardedRequests.SubjectLength];
        exporter.AcceptRepliesFrom(requestor);
        exporter.Requests.Add(
            requestor, message.ReplyTo, ServiceResponse.Once, DefaultLifetime, publisher.Loop.LastTick, reply);
        exporter.OnRequestPending(exporter);
        return publisher.Import(new RoutedMessage(subject, reply, message.HeaderLength, message.Payload), route);
    }
}
