using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol.Parsing;
using Broker.Server.Routing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Sessions;

// PUB and HPUB: the fast path. What a subscriber gets is three copies: "MSG subject ", its sid, and everything after the
// subject as the publisher sent it. Whatever is not plain delivery is decided by one flag and lives in other methods.
internal sealed partial class ClientSession
{
    private const long MostStaged = 1024 * 1024;

    private RouteCache _routes;
    private Route? _lastRoute;

    // Verbose, pedantic, or anything else that a publish must be looked at for.
    private bool _mustCheck = true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Publish(PublishOperation operation)
    {
        Route? route = _lastRoute;
        if (route is null || !route.IsCurrent
            || !(operation.RepeatsSubject || operation.Subject.SequenceEqual(route.Subject)))
        {
            _lastRoute = route = _routes.Find(operation.Subject);
        }

        _state.MessagesIn++;
        _state.PayloadIn += operation.Payload.Length;
        // Nothing below is given the operation itself: its address would keep it out of registers here.
        if ((_mustCheck || !operation.IsPlain) && NeedsCheck(operation) && !CheckPublish(operation, route))
        {
            return !_ended;
        }

        if (!route.IsEmpty)
        {
            Deliver(operation, route);
        }
        else if (route.IsRefused || !operation.IsPlain)
        {
            PublishToNobody(operation, route);
        }

        return true;
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

    private void Deliver(PublishOperation operation, Route route) => Deliver(new Message(operation), route);

    private void Deliver(in Message message, Route route)
    {
        if (DeliverAll(in message, route) == 0 && !message.ReplyTo.IsEmpty)
        {
            AnswerNoResponders(message.ReplyTo);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int DeliverAll(in Message message, Route route)
    {
        int delivered = 0;
        foreach (Subscription subscription in route.Plain)
        {
            if (!(_noEcho && subscription.Session == this) && subscription.Session.Take(subscription, route, in message, _loop, _state))
            {
                delivered++;
            }
        }

        if (route.HasMore)
        {
            delivered += DeliverMore(in message, route);
        }

        _state.PayloadOut += (long)delivered * message.Payload.Length;
        if (_state.BytesOut >= _state.HandOverAt)
        {
            HandOver();
        }

        return delivered;
    }

    // One read of small messages for a hundred subscribers makes many megabytes; so much at a time is enough for the calls to
    // be few.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void HandOver()
    {
        _state.HandOverAt = _state.BytesOut + MostStaged;
        _loop.HandOverStages();
    }

    private int DeliverToQueues(in Message message, Route route)
    {
        int delivered = 0;
        foreach (Subscription[] members in route.Queues)
        {
            // From a random member on to the first that takes it: one that is closing or is our own echo is passed over.
            int at = members.Length == 1 ? 0 : _state.Next(members.Length);
            for (int tried = 0; tried < members.Length; tried++)
            {
                Subscription member = members[at];
                if (!(_noEcho && member.Session == this) && member.Session.Take(member, route, in message, _loop, _state))
                {
                    delivered++;
                    break;
                }

                at = at + 1 == members.Length ? 0 : at + 1;
            }
        }

        return delivered;
    }

    /// <summary>
    /// Stages one message for this session, on the publisher's loop. False when the subscription or the connection has ended.
    /// </summary>
    private bool Take(Subscription subscription, Route route, in Message message, EventLoop loop, LoopState state)
    {
        if (subscription.IsClosed || !Connection.IsOpen
            || (_watchesPending && !MayTake(message.Payload.Length, loop, state)))
        {
            return false;
        }

        long count = state.IsAlone ? subscription.Count() : subscription.CountShared();
        if (subscription.Max != 0 && !WithinMax(subscription, count))
        {
            return false;
        }

        if (_grants is not null && !message.ReplyTo.IsEmpty)
        {
            Grant(message.ReplyTo, state.Publisher);
        }

        _deliveries[state.Index].Count(message.Payload.Length);
        ReadOnlySpan<byte> tail = message.Tail;
        byte[] head = route.MessageHead;
        if (message.HasHeaders || tail.IsEmpty)
        {
            Rewrite(subscription, route, in message, loop, state);
            return true;
        }

        OutboundStage stage = Connection.GetStage(loop);
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
        state.MessagesOut++;
        state.BytesOut += size;
        return true;
    }

    // The delivery that reaches the limit is the last one; one beyond it lost the race to another loop.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool WithinMax(Subscription subscription, long count)
    {
        if (count > subscription.Max)
        {
            return false;
        }

        if (count == subscription.Max)
        {
            EndByMax(subscription);
        }

        return true;
    }

    // By itself, or its closure would be made for every message of a subscription that has a limit.
    private void EndByMax(Subscription subscription)
    {
        if (_account.Remove(subscription))
        {
            _loop.Run(() => Forget(subscription));
        }
    }
}
