using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol.Writing;
using Broker.Server.Routing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// A client: what it is sent is a verb and three copies, of the subject, its sid, and everything after the subject as the publisher
/// sent it. Sealed, so that a publisher knows it by one compare and calls it directly.
/// </summary>
internal sealed class ConnectionTarget(IConnectionOwner owner) : BufferedTarget
{
    /// <summary>Who is told of what happens to it.</summary>
    internal IConnectionOwner Owner => owner;

    /// <summary>Null until the connection is opened; then for good.</summary>
    internal Connection Connection { get; set; } = null!;

    /// <summary>Whether the client declared that it can read HMSG.</summary>
    internal bool TakesHeaders { get; set; }

    /// <summary>The replies that the client may answer; null unless its permissions speak of answers. Set on its loop.</summary>
    internal ReplyGrants? Grants { get; set; }

    /// <summary>What the client may receive. Set on its loop; the router must then be told of each subscription.</summary>
    internal void Permit(AccessRules? access) => Access = access;

    internal override bool Deliver(Subscription subscription, Route route, in Message message, Publisher publisher)
    {
        if (!Connection.IsOpen || !TryCount(subscription, route, in message, publisher))
        {
            return false;
        }

        if (Grants is not null && !message.ReplyTo.IsEmpty)
        {
            owner.OnReplySubject(message.ReplyTo, publisher);
        }

        ReadOnlySpan<byte> tail = message.Tail;
        ReadOnlySpan<byte> subject = message.Subject;
        if (message.HasHeaders || tail.IsEmpty)
        {
            Rewrite(subscription, in message, publisher);
            return true;
        }

        OutboundStage stage = Connection.GetStage(publisher.Loop);
        int sid = subscription.SidLength;
        int size = MessageHead.Overhead + subject.Length + sid + tail.Length;
        // A short sid is written with its padding: the tail comes over that, and there is room.
        ref byte at = ref MessageHead.Write(
            ref MemoryMarshal.GetReference(stage.GetSpan(size + Subscription.ShortSid)), subject, subscription.SidWord);
        if (sid > Subscription.ShortSid)
        {
            subscription.Sid.CopyTo(MemoryMarshal.CreateSpan(ref at, sid));
        }

        at = ref Unsafe.Add(ref at, sid);
        Unsafe.CopyBlockUnaligned(ref at, ref MemoryMarshal.GetReference(tail), (uint)tail.Length);
        stage.Advance(size);
        publisher.State.MessagesOut++;
        publisher.State.BytesOut += size;
        return true;
    }

    /// <summary>Whether a subscription may be sent all of a run at once.</summary>
    internal bool CanTake(Subscription subscription) => IsPlain(subscription) && subscription.SidLength <= Subscription.ShortSid;

    /// <summary>The client of a subscription, where messages of a publisher to it may be written one behind the other and counted together; else null.</summary>
    internal static ConnectionTarget? OfRun(Subscription subscription, Publisher publisher)
        => subscription.Subscriber is ConnectionTarget target && target != publisher.NotTo && !subscription.IsClosed
            && target.CanTake(subscription) && target.Grants is null && target.Connection.IsOpen ? target : null;

    /// <summary>Delivers all of a run to a subscription that <see cref="CanTake"/> it.</summary>
    internal bool Deliver(Subscription subscription, MessageRun run, Publisher publisher)
    {
        if (!Connection.IsOpen || subscription.IsClosed)
        {
            return false;
        }

        ReadOnlySpan<byte> text = run.TextFor(subscription.SidWord, subscription.SidLength);
        Connection.GetStage(publisher.Loop).Write(text);
        publisher.State.BytesOut += text.Length;
        CountWritten(subscription, run.Count, run.PayloadBytes, publisher.State);
        return true;
    }

    /// <summary>Counts some messages together that were written to a subscription, but not their bytes.</summary>
    internal void CountWritten(Subscription subscription, int messages, long payload, LoopState state)
    {
        Count(subscription, messages, payload, state);
        state.MessagesOut += messages;
    }

    private protected override long CountWaiting(EventLoop loop)
        => Connection is { IsOpen: true } connection ? connection.HeldBytes + connection.StagedBytes(loop) : 0;

    private protected override long DropOldest(long bytes, EventLoop loop) => Connection.DropOldest(bytes, loop).Messages;

    private protected override void End() => Connection.CloseForFullQueue();

    private protected override void OnLimitReached(Subscription subscription) => owner.OnLimitReached(subscription);

    private protected override void OnLosing(SlowConsumerPolicy policy) => owner.OnLosing(policy);

    private protected override void OnDelivering(Publisher publisher) => owner.OnDelivering(publisher);

    private protected override void OnTaken(Subscription subscription, Route route, in Message message)
        => owner.OnTaken(subscription, route, in message);

    /// <summary>
    /// Puts a message together that cannot be sent on as it came: with headers, which subscribers have that declared them
    /// and others do not, or from a line of unusual form.
    /// </summary>
    private void Rewrite(Subscription subscription, in Message message, Publisher publisher)
    {
        // Headers of no length are none: nats-server makes a MSG of them, and clients have no use for an empty block.
        bool headers = message.HeaderLength > 0 && TakesHeaders;
        ReadOnlySpan<byte> verb = headers ? "HMSG "u8 : "MSG "u8;
        ReadOnlySpan<byte> subject = message.Subject;
        ReadOnlySpan<byte> payload = message.HasHeaders && !headers ? message.Payload[message.HeaderLength..] : message.Payload;
        int most = verb.Length + subject.Length + 1 + subscription.Sid.Length + message.ReplyTo.Length + OperationWriter.LineOverhead + payload.Length;
        OutboundStage stage = Connection.GetStage(publisher.Loop);
        Span<byte> destination = stage.GetSpan(most);
        verb.CopyTo(destination);
        int at = verb.Length;
        subject.CopyTo(destination[at..]);
        at += subject.Length;
        destination[at++] = (byte)' ';
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
        publisher.State.MessagesOut++;
        publisher.State.BytesOut += at;
    }
}
