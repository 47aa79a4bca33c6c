using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The delivery target of a client. A message is written as a verb, the subject, the client's sid, and everything after
/// the subject as the publisher sent it. The class is sealed, so that a publisher recognizes it by one comparison and
/// calls it directly.
/// </summary>
internal sealed class ConnectionTarget(IConnectionOwner owner) : BufferedTarget
{
    /// <summary>The object that is informed about events of this target.</summary>
    internal IConnectionOwner Owner => owner;

    /// <summary>The connection; null until it is opened. It does not change afterwards.</summary>
    internal Connection Connection { get; set; } = null!;

    /// <summary>Whether the client declared that it can read HMSG.</summary>
    internal bool SupportsHeaders { get; set; }

    /// <summary>
    /// The reply subjects that the client may publish to; null if the client has no response permissions. Set on the
    /// client's loop.
    /// </summary>
    internal ReplyGrants? Grants { get; set; }

    /// <summary>
    /// Sets the subjects that the client may receive. Call it on the client's loop, and then refresh each subscription
    /// in the router.
    /// </summary>
    internal void SetAccess(AccessRules? access) => Access = access;

    internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
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

        LoopWriteBuffer buffer = Connection.GetWriteBuffer(publisher.Loop);
        int sid = subscription.SidLength;
        int size = MessageHead.Overhead + subject.Length + sid + tail.Length;
        // A short sid is written with its padding. The tail overwrites the padding, and the span is large enough.
        ref byte at = ref MessageHead.Write(
            ref MemoryMarshal.GetReference(buffer.GetSpan(size + Subscription.ShortSid)), subject, subscription.SidWord);
        if (sid > Subscription.ShortSid)
        {
            subscription.Sid.CopyTo(MemoryMarshal.CreateSpan(ref at, sid));
        }

        at = ref Unsafe.Add(ref at, sid);
        Unsafe.CopyBlockUnaligned(ref at, ref MemoryMarshal.GetReference(tail), (uint)tail.Length);
        buffer.Advance(size);
        publisher.State.MessagesOut++;
        publisher.State.BytesOut += size;
        return true;
    }

    /// <summary>Whether all messages of a batch may be sent to a subscription together.</summary>
    internal bool CanBatch(Subscription subscription) => IsPlain(subscription) && subscription.SidLength <= Subscription.ShortSid;

    /// <summary>
    /// Returns the client of a subscription if consecutive messages of a publisher may be written to the client
    /// directly and counted together; otherwise null.
    /// </summary>
    internal static ConnectionTarget? FindForBatch(Subscription subscription, RoutingPublisher publisher)
        => subscription.Subscriber is ConnectionTarget target && target != publisher.ExcludedTarget && !subscription.IsClosed
            && target.CanBatch(subscription) && target.Grants is null && target.Connection.IsOpen ? target : null;

    /// <summary>Delivers a batch to a subscription for which <see cref="CanBatch"/> is true.</summary>
    internal bool Deliver(Subscription subscription, FanOutBatch run, RoutingPublisher publisher)
    {
        if (!Connection.IsOpen || subscription.IsClosed)
        {
            return false;
        }

        ReadOnlySpan<byte> text = run.TextFor(subscription.SidWord, subscription.SidLength);
        Connection.GetWriteBuffer(publisher.Loop).Write(text);
        publisher.State.BytesOut += text.Length;
        CountWritten(subscription, run.Count, run.PayloadBytes, publisher.State);
        return true;
    }

    /// <summary>
    /// Counts several messages that were written to a subscription. The caller counts the written bytes.
    /// </summary>
    internal void CountWritten(Subscription subscription, int messages, long payload, LoopState state)
    {
        Count(subscription, messages, payload, state);
        state.MessagesOut += messages;
    }

    private protected override long CountBufferedBytes(EventLoop loop)
        => Connection is { IsOpen: true } connection ? connection.BufferedBytes + connection.GetUnflushedBytes(loop) : 0;

    private protected override long DropOldest(long bytes, EventLoop loop) => Connection.DropOldest(bytes, loop).Messages;

    private protected override void DisconnectPeer() => Connection.CloseForFullQueue();

    private protected override void OnLimitReached(Subscription subscription) => owner.OnLimitReached(subscription);

    private protected override void OnMessagesLost(SlowConsumerPolicy policy) => owner.OnMessagesLost(policy);

    private protected override void OnDelivering(RoutingPublisher publisher) => owner.OnDelivering(publisher);

    private protected override void OnAccepted(Subscription subscription, Route route, in RoutedMessage message)
        => owner.OnAccepted(subscription, route, in message);

    /// <summary>
    /// Builds a message that cannot be sent on unchanged. It has headers, and only some subscribers have declared
    /// support for headers; or the publisher's line has an unusual form.
    /// </summary>
    private void Rewrite(Subscription subscription, in RoutedMessage message, RoutingPublisher publisher)
    {
        // Headers of length 0 count as no headers: nats-server sends a MSG in this case, and an empty block is useless
        // to clients.
        bool headers = message.HeaderLength > 0 && SupportsHeaders;
        ReadOnlySpan<byte> verb = headers ? "HMSG "u8 : "MSG "u8;
        ReadOnlySpan<byte> subject = message.Subject;
        ReadOnlySpan<byte> payload = message.HasHeaders && !headers ? message.Payload[message.HeaderLength..] : message.Payload;
        int maxSize = verb.Length + subject.Length + 1 + subscription.Sid.Length + message.ReplyTo.Length + OperationWriter.LineOverhead + payload.Length;
        LoopWriteBuffer buffer = Connection.GetWriteBuffer(publisher.Loop);
        Span<byte> destination = buffer.GetSpan(maxSize);
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

        buffer.Advance(at);
        publisher.State.MessagesOut++;
        publisher.State.BytesOut += at;
    }
}
