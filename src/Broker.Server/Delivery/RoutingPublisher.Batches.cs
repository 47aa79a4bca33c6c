using System.Runtime.CompilerServices;
using Broker.Protocol;

namespace Broker.Server;

// Delivers consecutive messages to the same subscriptions together.
internal sealed partial class RoutingPublisher
{
    // A batch with a message for so many bytes would contain no other message. Alone, the message can be delivered in
    // shares.
    private const long MaxOfBatch = 1024 * 1024;

    /// <summary>
    /// Adds a message without headers to the batch of messages for the same subscriptions. Returns false if the message
    /// must be delivered alone. The caller must call <see cref="EndBatch"/> before it writes anything else to a client
    /// or reads counters.
    /// </summary>
    /// <param name="operation">The message. It must have a <see cref="PublishOperation.Tail"/>.</param>
    /// <param name="route">The route of the message. <see cref="Route.CanBatch"/> must be true.</param>
    /// <param name="isSame">Whether the previous message had the same subject.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool TryDeliverInBatch(PublishOperation operation, Route route, bool isSame)
    {
        if (route.IsWide)
        {
            return operation.IsPlain && TryCollect(operation, route, isSame);
        }

        if (route.IsGroup)
        {
            return TryDeliverToGroup(operation, route, isSame);
        }

        DirectBatch run = State.DirectBatch;
        if (!run.Continues(this, route, operation) && !TryBeginDirectBatch(route, operation, isSame))
        {
            return false;
        }

        State.BytesOut += run.Write(operation.Tail, operation.Payload.Length);
        return true;
    }

    /// <summary>
    /// Ends the batch that <see cref="TryDeliverInBatch"/> has begun: delivers its messages and counts them.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EndBatch()
    {
        if (State.HasBatch)
        {
            State.EndBatch();
        }
    }

    /// <summary>
    /// Delivers the loop's batch of messages to many subscriptions. The batch must be of this publisher.
    /// </summary>
    internal void DeliverFanOut()
    {
        FanOutBatch run = State.FanOutBatch;
        ReadOnlySpan<Subscription> all = run.Recipients;
        long delivered = 0;
        long payload = 0;
        _isInBatch = true;
        try
        {
            foreach (Subscription subscription in all)
            {
                if (subscription.Subscriber is ConnectionTarget target && target.CanBatch(subscription))
                {
                    if (target != ExcludedTarget && target.Deliver(subscription, run, this))
                    {
                        delivered += run.Count;
                        payload += run.PayloadBytes;
                    }

                    continue;
                }

                for (int i = 0; i < run.Count; i++)
                {
                    RoutedMessage message = run.At(i);
                    if (TryDeliver(subscription, run.RouteAt(i), in message))
                    {
                        delivered++;
                        payload += message.Payload.Length;
                    }
                }
            }

            ChargeSkipped(((long)run.Count * all.Length) - delivered);
        }
        finally
        {
            _isInBatch = false;
            run.Clear();
        }

        State.PayloadOut += payload;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryBeginDirectBatch(Route route, PublishOperation operation, bool isSame)
    {
        EndBatch();
        return State.HasBatch = State.DirectBatch.TryBegin(this, route, operation, isSame);
    }

    private bool TryDeliverToGroup(PublishOperation operation, Route route, bool isSame)
    {
        GroupBatch run = State.GroupBatch;
        if (!run.Continues(this, route))
        {
            EndBatch();
            if (!run.TryBegin(this, route, isSame))
            {
                return false;
            }

            State.HasBatch = true;
        }

        QueueGroup group = route.QueueGroups[0];
        int count = group.Members.Length;
        int at = count == 1 ? 0 : State.Next(count);
        int size = run.WriteTo(at, operation);
        if (size == 0)
        {
            return DeliverToChosen(operation, route, group, at);
        }

        State.BytesOut += size;
        return true;
    }

    // Delivers to the chosen member if this member accepts the message. A second random choice would prefer members
    // that can be written to directly. Returns false if no member accepts the message, because the publisher must then
    // be informed.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool DeliverToChosen(PublishOperation operation, Route route, QueueGroup group, int at)
    {
        EndBatch();
        if (ReadsTooSlowly(group, at))
        {
            at = FindOther(group, at);
        }

        var message = new RoutedMessage(operation);
        if (!TryDeliver(group, at, route, in message) && !DeliverToNext(group, at, route, in message))
        {
            return false;
        }

        State.PayloadOut += message.Payload.Length;
        return true;
    }

    private bool TryCollect(PublishOperation operation, Route route, bool isSame)
    {
        if (operation.Length > FanOutBatch.MaxLength || route.HasOtherSubscribers
            || (long)operation.Length * route.PlainSubscriptions.Length > MaxOfBatch)
        {
            return false;
        }

        FanOutBatch run = State.FanOutBatch;
        if (State.DirectBatch.IsActive || State.GroupBatch.IsActive || !run.Fits(this, route, operation.Length))
        {
            EndBatch();
        }

        if (!run.TryAdd(this, route, operation, isSame))
        {
            return false;
        }

        State.HasBatch = true;
        if (State.Budget.IsUsedUp(State.BytesOut + (run.Bytes * route.PlainSubscriptions.Length)))
        {
            EndBatch();
        }

        return true;
    }
}
