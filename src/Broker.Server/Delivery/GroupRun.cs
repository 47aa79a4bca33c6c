using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol.Parsing;
using Broker.Server.Routing;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// Messages that one publisher sends, one behind the other, to the same queue group and to nobody else: each is written to the member
/// that it falls to at once, and what does not change of a member is looked at, and counted, once for all that it gets.
/// </summary>
/// <remarks>A loop has one, as it has one <see cref="DirectRun"/>: no more than one of all runs goes on at a time, within one batch.</remarks>
internal sealed class GroupRun
{
    // By place in the group. None holds on to anybody when the run has ended.
    private Lane[] _lanes = [];
    private int[] _used = [];
    private int _usedCount;
    private Publisher? _publisher;
    private Route? _route;
    private Subscription[] _members = [];

    // The first member of the group that was sent a message last. An ended one holds on to no client.
    private Subscription? _before;

    /// <summary>Whether it goes on.</summary>
    internal bool IsOn => _publisher is not null;

    /// <summary>Whether the next message of a publisher goes on with it: to the same members, by whatever subject.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Continues(Publisher publisher, Route route) => _publisher == publisher && (route == _route || TryGoOn(route));

    /// <summary>Begins. None may go on.</summary>
    /// <param name="publisher">Whose messages they are.</param>
    /// <param name="route">Where the first of them goes.</param>
    /// <param name="isSame">
    /// Whether the one before had the same subject. Where it had another the run begins at the second to the same group, for it costs
    /// more to begin one than to deliver a message.
    /// </param>
    internal bool TryBegin(Publisher publisher, Route route, bool isSame)
    {
        Subscription[] members = route.Queues[0].Members;
        if (!isSame && members[0] != _before)
        {
            _before = members[0];
            return false;
        }

        if (_lanes.Length < members.Length)
        {
            _lanes = new Lane[members.Length];
            _used = new int[members.Length];
        }

        (_publisher, _route, _members, _before) = (publisher, route, members, members[0]);
        return true;
    }

    /// <summary>Writes a message without headers to a member.</summary>
    /// <param name="at">The member's place in the group.</param>
    /// <param name="operation">The message.</param>
    /// <returns>How many bytes it is sent as; 0 for a member that must be asked for each message, and was not sent it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int TryWrite(int at, scoped PublishOperation operation)
    {
        ref Lane lane = ref _lanes[at];
        // Its client may have set a limit meanwhile, on another loop: one more than that is one too many.
        if ((lane.Stage is null && !TryOpen(ref lane, at)) || lane.Subscription!.Max != 0)
        {
            return 0;
        }

        OutboundStage stage = lane.Stage!;
        ReadOnlySpan<byte> subject = operation.Subject;
        ReadOnlySpan<byte> tail = operation.Tail;
        int size = MessageHead.Overhead + subject.Length + lane.SidLength + tail.Length;
        // The sid is written with its padding: the tail comes over that, and there is room.
        ref byte sid = ref MessageHead.Write(
            ref MemoryMarshal.GetReference(stage.GetSpan(size + Subscription.ShortSid)), subject, lane.SidWord);
        Unsafe.CopyBlockUnaligned(ref Unsafe.Add(ref sid, lane.SidLength), ref MemoryMarshal.GetReference(tail), (uint)tail.Length);
        stage.Advance(size);
        lane.Count++;
        lane.PayloadBytes += operation.Payload.Length;
        return size;
    }

    /// <summary>Ends it: what was written is counted.</summary>
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
    private bool TryGoOn(Route route)
    {
        if (!_members.AsSpan().SequenceEqual(route.Queues[0].Members))
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
        if (ConnectionTarget.OfRun(subscription, _publisher!) is not { } target)
        {
            return false;
        }

        lane = new()
        {
            Stage = target.Connection.GetStage(_publisher!.Loop),
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
        internal OutboundStage? Stage;
        internal Subscription? Subscription;
        internal ConnectionTarget? Target;
        internal ulong SidWord;
        internal int SidLength;
        internal int Count;
        internal long PayloadBytes;
    }
}
