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
    // What such an answer costs, in places looked at.
    private const int StepsOfAnswer = 16;

    // Verbose, pedantic, or anything else that a publish must be looked at for.
    private bool _mustCheck = true;
    private bool _isPedantic = true;

    // Where nobody hears them and nobody is answered. Who subscribes meanwhile, on another loop, hears what is sent after that was confirmed.
    private bool OnlyCountsRepeats
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _publisher.Last is { IsSilent: true, IsCurrent: true } && !_mustCheck;
    }

    // The line before once more.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool PublishAgain(PublishOperation operation)
        => _publisher.Last is { IsCurrent: true } last ? Publish(operation, last, isSame: true) : PublishElsewhere(operation);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool PublishNext(PublishOperation operation)
    {
        Route? last = _publisher.Last;
        return _publisher.Look(operation.Subject) is { } route
            ? Publish(operation, route, isSame: route == last)
            : PublishElsewhere(operation);
    }

    // To a subject that is not known, or where it leads elsewhere now. Apart, so that the loop over those that are has the registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PublishElsewhere(PublishOperation operation)
        => _publisher.LookFurther(operation.Subject) is { } route
            ? Publish(operation, route, isSame: false) && !_publisher.IsSpent
            : PutOff(operation.Length);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Publish(PublishOperation operation, Route route, bool isSame)
    {
        _state.MessagesIn++;
        _state.PayloadIn += operation.Payload.Length;
        // Nothing below is given the operation itself: its address would keep it out of registers here.
        if ((_mustCheck || !operation.IsPlain) && NeedsCheck(operation))
        {
            return PublishChecked(operation, route);
        }

        if (!route.IsEmpty)
        {
            Deliver(operation, route, isSame);
            return !_publisher.IsSpent;
        }

        if (route.IsRefused || !operation.IsPlain)
        {
            PublishToNobody(operation, route);
            return !_publisher.IsSpent;
        }

        // Nobody listens to a subject that is known: no work to count.
        return true;
    }

    private void Deliver(PublishOperation operation, Route route, bool isSame)
    {
        if (!route.MayRun || !_publisher.TryDeliverInRun(operation, route, isSame))
        {
            Deliver(new Message(operation), route);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PublishChecked(PublishOperation operation, Route route)
    {
        if (!CheckPublish(operation, route))
        {
            return GoesOn;
        }

        if (route.IsEmpty)
        {
            PublishToNobody(operation, route);
        }
        else
        {
            Deliver(new Message(operation), route);
        }

        return !_publisher.IsSpent;
    }

    private void Deliver(in Message message, Route route)
    {
        _publisher.EndRun();
        if (_publisher.Deliver(in message, route) == 0 && !message.ReplyTo.IsEmpty)
        {
            AnswerNoResponders(message.ReplyTo);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
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
            _channel.FailProtocol("message headers not supported", "HPUB without headers in CONNECT");
            return false;
        }

        if (_isPedantic && !Subject.IsValidLiteral(operation.Subject))
        {
            // Said, and delivered all the same, as nats-server does.
            _channel.WriteError("Invalid Publish Subject");
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

        _channel.Acknowledge();
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishRefused(in Message message, Route route)
    {
        if (!_identity.TryUseGrant(message.Subject) || ReservedSubjects.Contains(message.Subject))
        {
            _identity.Violate($"Publish to {QuotedText.Of(message.Subject)}");
            return;
        }

        if (ReservedSubjects.ContainsReply(message.ReplyTo))
        {
            RefuseReply(message.ReplyTo);
            return;
        }

        _channel.Acknowledge();
        if (route.Behind is not { IsCurrent: true })
        {
            route.Behind = Account.Router.Find(message.Subject);
        }

        Deliver(message, route.Behind);
    }

    private void RefuseReply(ReadOnlySpan<byte> reply) => _identity.Violate($"Publish with Reply of {QuotedText.Of(reply)}");

    /// <summary>Tells a requester at once that nobody listens, if it asked to be told and can be reached.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AnswerNoResponders(ReadOnlySpan<byte> reply)
    {
        if (_authentication.Request is not { NoResponders: true } || _subscriptions.Count == 0 || !Subject.HasNoEmptyToken(reply))
        {
            return;
        }

        _publisher.EndRun();
        _publisher.Spend(StepsOfAnswer);
        if (_subscriptions.FindInbox(reply) is { } inbox)
        {
            // In one piece: a message never straddles two blocks.
            LoopWriteBuffer stage = _channel.Connection.GetWriteBuffer(Loop);
            Span<byte> destination = stage.GetSpan(reply.Length + inbox.Sid.Length + OperationWriter.LineOverhead);
            int at = Put(destination, 0, "HMSG "u8);
            at = Put(destination, at, reply);
            at = Put(destination, at, " "u8);
            at = Put(destination, at, inbox.Sid);
            stage.Advance(Put(destination, at, " 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"u8));
        }
    }

    private static int Put(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(destination[at..]);
        return at + bytes.Length;
    }
}
