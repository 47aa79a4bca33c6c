using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Consecutive messages of one publisher to the same queue group and to no other subscriber. Each message is written
/// directly to the buffer of the chosen member. Checks and counts happen once for all messages to a member.
/// </summary>
/// <remarks>
/// Each loop has one instance of this class and one <see cref="DirectBatch"/>. At most one of these batches is active
/// at a time. A batch ends at the end of the bytes that were received together.
/// </remarks>
internal sealed class GroupBatch
{
    // One lane for each member, by the member's index in the group. The lanes contain no references after the end of
    // the batch.
    private Lane[] _lanes = [];
    private int[] _used = [];
    private int _usedCount;
    private RoutingPublisher? _publisher;
    private Route? _route;
    private Subscription[] _members = [];

    // The first member of the group that received the previous message. A closed subscription has no reference to its
    // client, so this field keeps no client alive.
    private Subscription? _previous;

    /// <summary>Whether a batch is active.</summary>
    internal bool IsActive => _publisher is not null;

    /// <summary>
    /// Whether the next message of a publisher continues the batch: its route must have the same members. Its subject
    /// may differ.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Continues(RoutingPublisher publisher, Route route) => _publisher == publisher && (route == _route || TryContinue(route));

    /// <summary>Begins a batch. No batch may be active.</summary>
    /// <param name="publisher">The publisher of the messages.</param>
    /// <param name="route">The route of the first message.</param>
    /// <param name="isSame">
    /// Whether the previous message had the same subject. If it had another subject, the batch begins with the second
    /// message to the same group, because it costs more to begin a batch than to deliver one message.
    /// </param>
    internal bool TryBegin(RoutingPublisher publisher, Route route, bool isSame)
    {
        Subscription[] members = route.QueueGroups[0].Members;
        if (!isSame && members[0] != _previous)
        {
            _previous = members[0];
            return false;
        }

        if (_lanes.Length < members.Length)
        {
            _lanes = new Lane[members.Length];
            _used = new int[members.Length];
        }

        (_publisher, _route, _members, _previous) = (publisher, route, members, members[0]);
        return true;
    }

    /// <summary>Writes a message without headers to a member.</summary>
    /// <param name="at">The index of the member in the group.</param>
    /// <param name="operation">The message.</param>
    /// <returns>
    /// The number of written bytes; 0 if messages to the member must be checked one by one. If 0, the message has not
    /// been sent.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int WriteTo(int at, scoped PublishOperation operation)
    {
        ref Lane lane = ref _lanes[at];
        // On another loop, the client may meanwhile have set a maximum number of messages. It must not receive more
        // messages than this maximum.
        if ((lane.Buffer is null && !TryOpen(ref lane, at)) || lane.Subscription!.Max != 0)
        {
            return 0;
        }

        LoopWriteBuffer buffer = lane.Buffer!;
        ReadOnlySpan<byte> subject = operation.Subject;
        ReadOnlySpan<byte> tail = operation.Tail;
        int size = MessageHead.Overhead + subject.Length + lane.SidLength + tail.Length;
        // The sid is written with its padding. The tail overwrites the padding, and the span is large enough.
        ref byte sid = ref MessageHead.Write(
            ref MemoryMarshal.GetReference(buffer.GetSpan(size + Subscription.ShortSid)), subject, lane.SidWord);
        Unsafe.CopyBlockUnaligned(ref Unsafe.Add(ref sid, lane.SidLength), ref MemoryMarshal.GetReference(tail), (uint)tail.Length);
        buffer.Advance(size);
        lane.Count++;
        lane.PayloadBytes += operation.Payload.Length;
        return size;
    }

    /// <summary>Ends the batch and counts the written messages.</summary>
    internal void End()
    {
        LoopState state = _publisher!.State;
        foreach (int at in _used.AsSpan(0, _usedCount))
        {
            ref Lane lane = ref _lanes[at];
            lane.Target!.CountWritten(lane.Subscription!, lane.Count, lane.PayloadBytes, state);
            state.PayloadOut += lane.PayloadBytes;
            lane = default;
        }

        _usedCount = 0;
        _publisher = null;
        _route = null;
        _members = [];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryContinue(Route route)
    {
        if (!_members.AsSpan().SequenceEqual(route.QueueGroups[0].Members))
        {
            return false;
        }

        _route = route;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryOpen(ref Lane lane, int at)
    {
        Subscription subscription = _members[at];
        if (ConnectionTarget.FindForBatch(subscription, _publisher!) is not { Connection.IsAboveHighWater: false } target)
        {
            return false;
        }

        lane = new()
        {
            Buffer = target.Connection.GetWriteBuffer(_publisher!.Loop),
            Subscription = subscription,
            Target = target,
            SidWord = subscription.SidWord,
            SidLength = subscription.SidLength,
        };
        _used[_usedCount++] = at;
        return true;
    }

    private struct Lane
    {
        internal LoopWriteBuffer? Buffer;
        internal Subscription? Subscription;
        internal ConnectionTarget? Target;
        internal ulong SidWord;
        internal int SidLength;
        internal int Count;
        internal long PayloadBytes;
    }
}
