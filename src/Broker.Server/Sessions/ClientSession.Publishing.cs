using System.Runtime.CompilerServices;
using Broker.Protocol.Parsing;
using Broker.Protocol.Subjects;
using Broker.Protocol.Writing;
using Broker.Server.Delivery;
using Broker.Server.Routing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Sessions;

// PUB and HPUB: the fast path. Whatever is not plain is decided by one flag and lives in methods of its own: verbose, pedantic,
// with headers, in an unusual form, or for nobody.
internal sealed partial class ClientSession
{
    private const int MostToSearch = 64;

    // What such an answer and the search for its subscription cost, in places looked at.
    private const int StepsOfAnswer = 16;

    // Verbose, pedantic, or anything else that a publish must be looked at for.
    private bool _mustCheck = true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Publish(PublishOperation operation)
    {
        Publisher publisher = _publisher;
        Route? route = publisher.Last;
        bool goesOn = true;
        if (route is null || !route.IsCurrent
            || !(operation.RepeatsSubject || operation.Subject.SequenceEqual(route.Subject)))
        {
            route = publisher.Look(operation.Subject);
            goesOn = !publisher.IsSpent;
        }

        _state.MessagesIn++;
        _state.PayloadIn += operation.Payload.Length;
        // Nothing below is given the operation itself: its address would keep it out of registers here.
        if ((_mustCheck || !operation.IsPlain) && NeedsCheck(operation) && !CheckPublish(operation, route))
        {
            return GoesOn;
        }

        if (!route.IsEmpty)
        {
            Deliver(operation, route);
            return !publisher.IsSpent;
        }

        if (route.IsRefused || !operation.IsPlain)
        {
            PublishToNobody(operation, route);
            return !publisher.IsSpent;
        }

        // Nobody listens to a subject that is known: no work to count.
        return goesOn;
    }

    private void Deliver(PublishOperation operation, Route route) => Deliver(new Message(operation), route);

    private void Deliver(in Message message, Route route)
    {
        if (_publisher.Deliver(in message, route) == 0 && !message.ReplyTo.IsEmpty)
        {
            AnswerNoResponders(message.ReplyTo);
        }
    }

    private bool NeedsCheck(scoped PublishOperation operation)
        => _mustCheck || operation.HasHeaders || operation.Tail.IsEmpty || ReservedSubjects.MayContain(operation.ReplyTo);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishToNobody(PublishOperation operation, Route route)
    {
        if (route.IsRefused)
        {
            PublishRefused(new Message(operation), route);
        }
        else if (!operation.ReplyTo.IsEmpty)
        {
            AnswerNoResponders(operation.ReplyTo);
        }
    }

    /// <summary>False when the message is not to be delivered.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool CheckPublish(PublishOperation operation, Route route)
    {
        if (operation.HasHeaders && !_target.TakesHeaders)
        {
            // nats-server closes without a word.
            _server.Log.ProtocolError(Id, RemoteEndPoint, "HPUB without headers in CONNECT");
            Fail("message headers not supported");
            return false;
        }

        if (_pedantic && !Subject.IsValidLiteral(route.Subject))
        {
            // Said, and delivered all the same, as nats-server does.
            WriteError("Invalid Publish Subject");
        }

        if (route.IsRefused)
        {
            PublishRefused(new Message(operation), route);
            return false;
        }

        if (ReservedSubjects.ContainsReply(operation.ReplyTo))
        {
            RefuseReply(operation.ReplyTo);
            return false;
        }

        Acknowledge();
        return true;
    }

    /// <summary>Tells a requester at once that nobody listens, if it asked to be told and can be reached.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AnswerNoResponders(ReadOnlySpan<byte> reply)
    {
        if (_connect is not { NoResponders: true } || _subscriptions is null || !Subject.HasNoEmptyToken(reply))
        {
            return;
        }

        _publisher.Spend(StepsOfAnswer);
        if (FindInbox(reply) is { } inbox)
        {
            // In one piece: a message never straddles two blocks.
            OutboundStage stage = Connection.GetStage(_loop);
            Span<byte> destination = stage.GetSpan(reply.Length + inbox.Sid.Length + OperationWriter.LineOverhead);
            int at = Put(destination, 0, "HMSG "u8);
            at = Put(destination, at, reply);
            at = Put(destination, at, " "u8);
            at = Put(destination, at, inbox.Sid);
            stage.Advance(Put(destination, at, " 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"u8));
        }
    }

    // The own plain subscription that a reply would come by. Nearly always there are a few; who has many must not make each
    // of its requests a search through them.
    private Subscription? FindInbox(ReadOnlySpan<byte> reply)
    {
        if (_subscriptions!.Count > MostToSearch)
        {
            long work = StepsOfAnswer;
            Route route = _account.Router.Find(reply, ref work);
            _publisher.Spend(work);
            return route.FindPlain(s => s.Subscriber == _target && !s.IsClosed);
        }

        foreach (Subscription subscription in _subscriptions)
        {
            if (subscription.Queue is null && !subscription.IsClosed && Subject.Matches(subscription.Filter, reply))
            {
                return subscription;
            }
        }

        return null;
    }

    private static int Put(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(destination[at..]);
        return at + bytes.Length;
    }
}
