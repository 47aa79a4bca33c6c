using System.Buffers;
using Broker.Server.Delivery;
using Broker.Server.Routing;

namespace Broker.Server.Accounts;

/// <summary>Where answers leave the account that exports a service, for the one that asked.</summary>
internal sealed class ReplyTarget(Account requestor, Account exporter) : DeliveryTarget
{
    private const long DefaultLifetime = 2 * 60 * 1000;

    internal override bool IsInternal => true;

    /// <summary>What stands in the exporter's router.</summary>
    internal Subscription Subscribe() => new(this, requestor.Replies.Filter, null, "0"u8);

    internal override bool Deliver(Subscription subscription, Route route, in Message message, Publisher publisher)
    {
        bool isEmpty = message.Payload.IsEmpty;
        if (requestor.Replies.Take(message.Subject, exporter, isEmpty, publisher.Loop.LastTick, out int length) is not { } rented)
        {
            return false;
        }

        int delivered = Answer(rented.AsSpan(0, length), in message, publisher);
        ArrayPool<byte>.Shared.Return(rented);
        return delivered != 0;
    }

    // Who gets it may answer in turn if there is a reply.
    private int Answer(ReadOnlySpan<byte> subject, in Message message, Publisher publisher)
    {
        Route route = requestor.Router.Find(subject);
        if (route.IsEmpty)
        {
            return 0;
        }

        if (message.ReplyTo.IsEmpty)
        {
            return publisher.Import(message.WithSubject(subject), route);
        }

        Span<byte> reply = stackalloc byte[PendingReplies.SubjectLength];
        exporter.AnswerFrom(requestor);
        exporter.Replies.Add(requestor, message.ReplyTo, ServiceResponse.Once, DefaultLifetime, publisher.Loop.LastTick, reply);
        exporter.AwaitsReplies(exporter);
        return publisher.Import(new Message(subject, reply, message.HeaderLength, message.Payload), route);
    }
}
