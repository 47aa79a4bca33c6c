using System.Runtime.CompilerServices;
using Broker.Protocol.Parsing;
using Broker.Server.Routing;

namespace Broker.Server.Delivery;

// Delivers consecutive messages to the same subscriptions together.
internal sealed partial class Publisher
{
    /// <summary>
    /// Adds a message without headers to the batch of messages for the same subscriptions. The caller must call
    /// <see cref="EndRun"/> before it writes anything else to a client or reads counters. Returns false if the message
    /// must be delivered alone.
    /// </summary>
    /// <param name="operation">The message. It must have a <see cref="PublishOperation.Tail"/>.</param>
    /// <param name="route">Its route. <see cref="Route.MayRun"/> must be true.</param>
    /// <param name="isSame">Whether the previous message had the same subject.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool TryDeliverInRun(PublishOperation operation, Route route, bool isSame)
    {
        if (route.IsWide)
        {
            return operation.IsPlain && TryKeep(operation, route, isSame);
        }

        if (route.IsGroup)
        {
            return TryDeliverToGroup(operation, route, isSame);
        }

        DirectRun run = State.DirectRun;
        if (!run.Continues(this, route, operation) && !TryBeginDirectly(route, operation, isSame))
        {
            return false;
        }

        State.BytesOut += run.Write(operation.Tail, operation.Payload.Length);
        return true;
    }

    /// <summary>
    /// Ends the batch that <see cref="TryDeliverInRun"/> has begun: delivers its messages and counts them.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EndRun()
    {
        if (State.HasRun)
        {
            State.EndRun();
        }
    }

    /// <summary>
    /// Delivers the loop's batch of messages to many subscriptions. The batch must be of this publisher.
    /// </summary>
    internal void DeliverRun()
    {
        MessageRun run = State.Run;
        ReadOnlySpan<Subscription> all = run.Recipients;
        long delivered = 0;
        long payload = 0;
        try
        {
            foreach (Subscription subscription in all)
            {
                if (subscription.Subscriber is ConnectionTarget target && target.CanTake(subscription))
                {
                    if (target != NotTo && target.Deliver(subscription, run, this))
                    {
                        delivered += run.Count;
                        payload += run.PayloadBytes;
                    }

                    continue;
                }

                for (int i = 0; i < run.Count; i++)
                {
                    Message message = run.At(i);
                    if (TryDeliver(subscription, run.RouteAt(i), in message))
                    {
                        delivered++;
                        payload += message.Payload.Length;
                    }
                }
            }

            PassOver(((long)run.Count * all.Length) - delivered);
        }
        finally
        {
            run.Clear();
        }

        State.PayloadOut += payload;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryBeginDirectly(Route route, PublishOperation operation, bool isSame)
    {
        EndRun();
        return State.HasRun = State.DirectRun.TryBegin(this, route, operation, isSame);
    }

    private bool TryDeliverToGroup(PublishOperation operation, Route route, bool isSame)
    {
        GroupRun run = State.GroupRun;
        if (!run.Continues(this, route))
        {
            EndRun();
            if (!run.TryBegin(this, route, isSame))
            {
                return false;
            }

            State.HasRun = true;
        }

        QueueGroup group = route.Queues[0];
        int count = group.Members.Length;
        int at = count == 1 ? 0 : State.Next(count);
        int size = run.TryWrite(at, operation);
        if (size == 0)
        {
            return DeliverPicked(operation, route, group, at);
        }

        State.BytesOut += size;
        return true;
    }

    // Delivers to the chosen member if that accepts the message. Choosing again would prefer members that can be
    // written to directly. Returns false if no member accepts it, because the publisher must be informed then.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool DeliverPicked(PublishOperation operation, Route route, QueueGroup group, int at)
    {
        EndRun();
        var message = new Message(operation);
        if (!TryDeliver(group, at, route, in message) && !DeliverToNext(group, at, route, in message))
        {
            return false;
        }

        State.PayloadOut += message.Payload.Length;
        return true;
    }

    private bool TryKeep(PublishOperation operation, Route route, bool isSame)
    {
        if (operation.Length > MessageRun.MostLength || route.HasMore)
        {
            return false;
        }

        MessageRun run = State.Run;
        if (State.DirectRun.IsOn || State.GroupRun.IsOn || !run.HasRoomFor(this, route, operation.Length))
        {
            EndRun();
        }

        if (!run.TryAdd(this, route, operation, isSame))
        {
            return false;
        }

        State.HasRun = true;
        if (State.BytesOut + (run.Bytes * route.Plain.Length) >= State.YieldAt)
        {
            EndRun();
        }

        return true;
    }
}
