using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol.Writing;
using Broker.Server.Routing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// A client: what it is sent is three copies, <c>"MSG subject "</c>, its sid, and everything after the subject as the publisher
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
        byte[] head = route.MessageHead;
        if (message.HasHeaders || tail.IsEmpty)
        {
            Rewrite(subscription, route, in message, publisher);
            return true;
        }

        OutboundStage stage = Connection.GetStage(publisher.Loop);
        int sid = subscription.SidLength;
        int size = head.Length + sid + tail.Length;
        ref byte at = ref MemoryMarshal.GetReference(stage.GetSpan(size + Subscription.ShortSid));
        Unsafe.CopyBlockUnaligned(ref at, ref MemoryMarshal.GetArrayDataReference(head), (uint)head.Length);
        at = ref Unsafe.Add(ref at, head.Length);
        if (sid <= Subscription.ShortSid)
        {
            // May write past the sid: the tail comes over it, and there is room.
            Unsafe.WriteUnaligned(ref at, subscription.SidWord);
        }
        else
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

    private protected override long CountWaiting(EventLoop loop)
        => Connection is { IsOpen: true } connection ? connection.HeldBytes + connection.StagedBytes(loop) : 0;

    private protected override long DropOldest(long bytes, EventLoop loop) => Connection.DropOldest(bytes, loop).Messages;

    private protected override void End() => Connection.CloseAsSlowConsumer();

    private protected override void OnLimitReached(Subscription subscription) => owner.OnLimitReached(subscription);

    private protected override void OnLosing(SlowConsumerPolicy policy) => owner.OnLosing(policy);

    private protected override void OnDelivering(Publisher publisher) => owner.OnDelivering(publisher);

    private protected override void OnTaken(Subscription subscription, Route route, in Message message)
        => owner.OnTaken(subscription, route, in message);

    /// <summary>
    /// Puts a message together that cannot be sent on as it came: with headers, which subscribers have that declared them
    /// and others do not, or from a line of unusual form.
    /// </summary>
    private void Rewrite(Subscription subscription, Route route, in Message message, Publisher publisher)
    {
        // Headers of no length are none: nats-server makes a MSG of them, and clients have no use for an empty block.
        bool headers = message.HeaderLength > 0 && TakesHeaders;
        ReadOnlySpan<byte> head = headers ? route.HeaderMessageHead : route.MessageHead;
        ReadOnlySpan<byte> payload = message.HasHeaders && !headers ? message.Payload[message.HeaderLength..] : message.Payload;
        int most = head.Length + subscription.Sid.Length + message.ReplyTo.Length + OperationWriter.LineOverhead + payload.Length;
        OutboundStage stage = Connection.GetStage(publisher.Loop);
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
        publisher.State.MessagesOut++;
        publisher.State.BytesOut += at;
    }
}
