using System.Runtime.CompilerServices;
using Broker.Protocol.Parsing;
using Broker.Protocol.Subjects;
using Broker.Protocol.Writing;
using Broker.Server.Routing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Sessions;

// What a publish may be beside plain: verbose, pedantic, with headers, in an unusual form, or for nobody.
internal sealed partial class ClientSession
{
    private const int MostToSearch = 64;

    /// <summary>False when the message is not to be delivered.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool CheckPublish(PublishOperation operation, Route route)
    {
        if (operation.HasHeaders && !TakesHeaders)
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

    /// <summary>
    /// Puts a message together that cannot be sent on as it came: with headers, which subscribers have that declared them
    /// and others do not, or from a line of unusual form.
    /// </summary>
    private void Rewrite(Subscription subscription, Route route, in Message message, EventLoop loop, LoopState state)
    {
        // Headers of no length are none: nats-server makes a MSG of them, and clients have no use for an empty block.
        bool headers = message.HeaderLength > 0 && TakesHeaders;
        ReadOnlySpan<byte> head = headers ? route.HeaderMessageHead : route.MessageHead;
        ReadOnlySpan<byte> payload = message.HasHeaders && !headers ? message.Payload[message.HeaderLength..] : message.Payload;
        int most = head.Length + subscription.Sid.Length + message.ReplyTo.Length + OperationWriter.LineOverhead + payload.Length;
        OutboundStage stage = Connection.GetStage(loop);
        Span<byte> destination = stage.GetSpan(most);
        head.CopyTo(destination);
        int at = head.Length;
        subscription.Sid.CopyTo(destination[at..]);
        at += subscription.Sid.Length;
        if (message.Tail.IsEmpty || headers != message.HasHeaders)
        {
            at += OperationWriter.MessageTail(
                destination[at..], message.ReplyTo, headers ? message.HeaderLength : -1, payload.Length);
            payload.CopyTo(destination[at..]);
            at += payload.Length;
            "\r\n"u8.CopyTo(destination[at..]);
            at += 2;
        }
        else
        {
            message.Tail.CopyTo(destination[at..]);
            at += message.Tail.Length;
        }

        stage.Advance(at);
        state.MessagesOut++;
        state.BytesOut += at;
    }

    /// <summary>Tells a requester at once that nobody listens, if it asked to be told and can be reached.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AnswerNoResponders(ReadOnlySpan<byte> reply)
    {
        if (_connect is not { NoResponders: true } || _subscriptions is null || !Subject.HasNoEmptyToken(reply))
        {
            return;
        }

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
            return Array.Find(_account.Router.Find(reply).Plain, s => s.Session == this && !s.IsClosed);
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
