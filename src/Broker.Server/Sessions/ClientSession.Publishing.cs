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
    private RouteCache _routes;
    private Route? _lastRoute;

    // Verbose, pedantic, or anything else that a publish must be looked at for.
    private bool _mustCheck = true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Publish(in PublishOperation operation)
    {
        Route? route = _lastRoute;
        if (route is null || !route.IsCurrent
            || !(operation.RepeatsSubject || operation.Subject.SequenceEqual(route.Subject)))
        {
            _lastRoute = route = _routes.Find(operation.Subject);
        }

        _state.MessagesIn++;
        _state.PayloadIn += operation.Payload.Length;
        if ((_mustCheck || operation.HasHeaders || operation.Tail.IsEmpty || ReservedSubjects.MayContain(operation.ReplyTo))
            && !CheckPublish(in operation, route))
        {
            return !_ended;
        }

        if (!route.IsEmpty)
        {
            Deliver(in operation, route);
        }
        else if (route.IsRefused)
        {
            PublishRefused(in operation, route);
        }
        else if (!operation.ReplyTo.IsEmpty)
        {
            AnswerNoResponders(in operation);
        }

        return true;
    }

    private void Deliver(in PublishOperation operation, Route route)
    {
        if (DeliverAll(in operation, route) == 0 && !operation.ReplyTo.IsEmpty)
        {
            AnswerNoResponders(in operation);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int DeliverAll(in PublishOperation operation, Route route)
    {
        int delivered = 0;
        foreach (Subscription subscription in route.Plain)
        {
            if (!(_noEcho && subscription.Session == this) && subscription.Session.Take(subscription, route, in operation, _loop, _state))
            {
                delivered++;
            }
        }

        if (route.HasMore)
        {
            delivered += DeliverMore(in operation, route);
        }

        _state.PayloadOut += (long)delivered * operation.Payload.Length;
        return delivered;
    }

    private int DeliverToQueues(in PublishOperation operation, Route route)
    {
        int delivered = 0;
        foreach (Subscription[] members in route.Queues)
        {
            // From a random member on to the first that takes it: one that is closing or is our own echo is passed over.
            int at = members.Length == 1 ? 0 : _state.Next(members.Length);
            for (int tried = 0; tried < members.Length; tried++)
            {
                Subscription member = members[at];
                if (!(_noEcho && member.Session == this) && member.Session.Take(member, route, in operation, _loop, _state))
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
    private bool Take(Subscription subscription, Route route, in PublishOperation operation, EventLoop loop, LoopState state)
    {
        if (subscription.IsClosed || !Connection.IsOpen
            || (_watchesPending && !MayTake(operation.Payload.Length, loop, state)))
        {
            return false;
        }

        long count = state.IsAlone ? subscription.Count() : subscription.CountShared();
        if (subscription.Max != 0 && !WithinMax(subscription, count))
        {
            return false;
        }

        if (_grants is not null && !operation.ReplyTo.IsEmpty)
        {
            _grants.Add(operation.ReplyTo);
        }

        _deliveries[state.Index].Count(operation.Payload.Length);
        ReadOnlySpan<byte> tail = operation.Tail;
        byte[] head = route.MessageHead;
        if (operation.HasHeaders || tail.IsEmpty)
        {
            Rewrite(subscription, route, in operation, loop, state);
            return true;
        }

        OutboundStage stage = Connection.GetStage(loop);
        int sid = subscription.Sid.Length;
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
