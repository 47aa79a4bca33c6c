using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Broker.Protocol.Parsing;
using Broker.Server.Routing;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// Messages that one publisher sends, one behind the other, to the same client: each is written where it goes at once, and what does not
/// change from one to the next is looked at and counted once for all of them.
/// </summary>
/// <remarks>A loop has one, as it has one <see cref="MessageRun"/>: no more than one of both goes on at a time, within one batch.</remarks>
internal sealed class DirectRun
{
    // A head of up to so many bytes is written with one store.
    private const int ShortHead = 32;
    private const int MostHead = 256;

    private readonly byte[] _head = new byte[MostHead];
    private int _headLength;
    private Publisher? _publisher;
    private Route? _route;
    private Subscription? _subscription;

    // The last one that was sent a message by itself, or a run. An ended one holds on to no client.
    private Subscription? _before;
    private ConnectionTarget? _target;
    private OutboundStage? _stage;
    private int _count;
    private long _payloadBytes;

    /// <summary>Whether it goes on.</summary>
    internal bool IsOn => _publisher is not null;

    /// <summary>Whether the next message of a publisher, by a route to one, goes on with it.</summary>
    /// <remarks>Not behind a limit that its client has set meanwhile, on another loop: one more than that is one too many.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Continues(Publisher publisher, Route route, PublishOperation operation)
        => _publisher == publisher && (route == _route || (route.Plain[0] == _subscription && TryGoOn(route, operation))) && _subscription!.Max == 0;

    /// <summary>Begins, unless the route's one subscription must be asked for each message. None may go on.</summary>
    /// <param name="publisher">Whose messages they are.</param>
    /// <param name="route">Where the first of them goes.</param>
    /// <param name="operation">The first of them.</param>
    /// <param name="isSame">
    /// Whether the one before had the same subject. Where it had another the run begins at the second to the same subscription, for it costs
    /// more to begin one than to deliver a message.
    /// </param>
    internal bool TryBegin(Publisher publisher, Route route, PublishOperation operation, bool isSame)
    {
        Subscription subscription = route.Plain[0];
        if (!isSame && subscription != _before)
        {
            _before = subscription;
            return false;
        }

        if (ConnectionTarget.OfRun(subscription, publisher) is not { } target || !TryWriteHead(route, operation.Subject, subscription))
        {
            return false;
        }

        (_publisher, _subscription, _target) = (publisher, subscription, target);
        _stage = target.Connection.GetStage(publisher.Loop);
        return true;
    }

    /// <summary>Writes a message without headers by the route that it was asked for last.</summary>
    /// <param name="tail">All of it that follows the sid.</param>
    /// <param name="payload">How long its payload is.</param>
    /// <returns>How many bytes it is sent as.</returns>
    internal int Write(ReadOnlySpan<byte> tail, int payload)
    {
        OutboundStage stage = _stage!;
        int head = _headLength;
        ref byte from = ref MemoryMarshal.GetArrayDataReference(_head);
        // May write past the head: the tail comes over it, and there is room.
        ref byte at = ref MemoryMarshal.GetReference(stage.GetSpan(head + tail.Length + ShortHead));
        if (head <= ShortHead)
        {
            Vector256.LoadUnsafe(ref from).StoreUnsafe(ref at);
        }
        else
        {
            Unsafe.CopyBlockUnaligned(ref at, ref from, (uint)head);
        }

        Unsafe.CopyBlockUnaligned(ref Unsafe.Add(ref at, head), ref MemoryMarshal.GetReference(tail), (uint)tail.Length);
        stage.Advance(head + tail.Length);
        _count++;
        _payloadBytes += payload;
        return head + tail.Length;
    }

    /// <summary>Ends it: what was written is counted.</summary>
    internal void End()
    {
        LoopState state = _publisher!.State;
        _target!.CountWritten(_subscription!, _count, _payloadBytes, state);
        state.PayloadOut += _payloadBytes;
        _before = _subscription;
        _count = 0;
        _payloadBytes = 0;
        _publisher = null;
        _route = null;
        _subscription = null;
        _target = null;
        _stage = null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryGoOn(Route route, PublishOperation operation) => TryWriteHead(route, operation.Subject, _subscription!);

    // By the message's own subject: a route that is for one message has none.
    private bool TryWriteHead(Route route, ReadOnlySpan<byte> subject, Subscription subscription)
    {
        if (subject.Length > MostHead - MessageHead.Overhead - Subscription.ShortSid)
        {
            return false;
        }

        MessageHead.Write(ref MemoryMarshal.GetArrayDataReference(_head), subject, subscription.SidWord);
        _headLength = MessageHead.Overhead + subject.Length + subscription.SidLength;
        // Of single messages a route says nothing of their subjects.
        _route = route.Subject.Length == 0 ? null : route;
        return true;
    }
}
