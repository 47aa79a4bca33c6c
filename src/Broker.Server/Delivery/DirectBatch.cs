using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Consecutive messages of one publisher to the same client. Each message is written directly to the client's buffer.
/// Checks and counts happen once for all messages of the batch.
/// </summary>
/// <remarks>
/// Each loop has one instance of this class and one <see cref="FanOutBatch"/>. At most one of these batches is active
/// at a time. A batch ends at the end of the bytes that were received together.
/// </remarks>
internal sealed class DirectBatch
{
    // A head of up to this length is written with one store.
    private const int ShortHead = 32;
    private const int MaxHead = 256;

    private readonly byte[] _head = new byte[MaxHead];
    private int _headLength;
    private RoutingPublisher? _publisher;
    private Route? _route;
    private Subscription? _subscription;

    // The subscription that received the previous single message or batch. A closed subscription has no reference to
    // its client, so this field keeps no client alive.
    private Subscription? _previous;
    private ConnectionTarget? _target;
    private LoopWriteBuffer? _buffer;
    private int _count;
    private long _payloadBytes;

    /// <summary>Whether a batch is active.</summary>
    internal bool IsActive => _publisher is not null;

    /// <summary>
    /// Whether the next message of a publisher, with a route to one subscription, continues the batch.
    /// </summary>
    /// <remarks>
    /// A batch does not continue if the client, on another loop, has meanwhile set a maximum number of messages.
    /// Otherwise the client would receive more messages than the maximum.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Continues(RoutingPublisher publisher, Route route, PublishOperation operation)
        => _publisher == publisher && (route == _route || (route.PlainSubscriptions[0] == _subscription && TryContinue(route, operation))) && _subscription!.Max == 0;

    /// <summary>
    /// Begins a batch, unless messages to the subscription must be checked one by one. No batch may be active.
    /// </summary>
    /// <param name="publisher">The publisher of the messages.</param>
    /// <param name="route">The route of the first message.</param>
    /// <param name="operation">The first message.</param>
    /// <param name="isSame">
    /// Whether the previous message had the same subject. If it had another subject, the batch begins with the second
    /// message to the same subscription, because it costs more to begin a batch than to deliver one message.
    /// </param>
    internal bool TryBegin(RoutingPublisher publisher, Route route, PublishOperation operation, bool isSame)
    {
        Subscription subscription = route.PlainSubscriptions[0];
        if (!isSame && subscription != _previous)
        {
            _previous = subscription;
            return false;
        }

        if (ConnectionTarget.FindForBatch(subscription, publisher) is not { } target || !TryWriteHead(route, operation.Subject, subscription))
        {
            return false;
        }

        (_publisher, _subscription, _target) = (publisher, subscription, target);
        _buffer = target.Connection.GetWriteBuffer(publisher.Loop);
        return true;
    }

    /// <summary>
    /// Writes a message without headers. The caller must have called <see cref="Continues"/> or <see cref="TryBegin"/>
    /// for this message.
    /// </summary>
    /// <param name="tail">Everything after the sid.</param>
    /// <param name="payload">The length of the payload.</param>
    /// <returns>The number of written bytes.</returns>
    internal int Write(ReadOnlySpan<byte> tail, int payload)
    {
        LoopWriteBuffer buffer = _buffer!;
        int head = _headLength;
        ref byte from = ref MemoryMarshal.GetArrayDataReference(_head);
        // The store may write past the head. The tail overwrites these bytes, and the span is large enough.
        ref byte at = ref MemoryMarshal.GetReference(buffer.GetSpan(head + tail.Length + ShortHead));
        if (head <= ShortHead)
        {
            Vector256.LoadUnsafe(ref from).StoreUnsafe(ref at);
        }
        else
        {
            Unsafe.CopyBlockUnaligned(ref at, ref from, (uint)head);
        }

        Unsafe.CopyBlockUnaligned(ref Unsafe.Add(ref at, head), ref MemoryMarshal.GetReference(tail), (uint)tail.Length);
        buffer.Advance(head + tail.Length);
        _count++;
        _payloadBytes += payload;
        return head + tail.Length;
    }

    /// <summary>Ends the batch and counts the written messages.</summary>
    internal void End()
    {
        LoopState state = _publisher!.State;
        _target!.CountWritten(_subscription!, _count, _payloadBytes, state);
        state.PayloadOut += _payloadBytes;
        _previous = _subscription;
        _count = 0;
        _payloadBytes = 0;
        _publisher = null;
        _route = null;
        _subscription = null;
        _target = null;
        _buffer = null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryContinue(Route route, PublishOperation operation) => TryWriteHead(route, operation.Subject, _subscription!);

    // The subject comes from the message, because a route that was created for a single message has no subject.
    private bool TryWriteHead(Route route, ReadOnlySpan<byte> subject, Subscription subscription)
    {
        if (subject.Length > MaxHead - MessageHead.Overhead - Subscription.ShortSid)
        {
            return false;
        }

        MessageHead.Write(ref MemoryMarshal.GetArrayDataReference(_head), subject, subscription.SidWord);
        _headLength = MessageHead.Overhead + subject.Length + subscription.SidLength;
        // A route that was created for a single message has no subject. It is not stored here, because an equal route
        // would not prove an equal subject.
        _route = route.Subject.Length == 0 ? null : route;
        return true;
    }
}
