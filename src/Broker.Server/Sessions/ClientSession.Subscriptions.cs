using Broker.Protocol.Subjects;
using Broker.Server.Accounts;
using Broker.Server.Delivery;
using Broker.Server.Routing;

namespace Broker.Server.Sessions;

// SUB and UNSUB. The table is this loop's; what publishers see is the router's.
internal sealed partial class ClientSession
{
    // What a SUB or UNSUB costs beside the routes that it concerns, in places looked at.
    private const int StepsOfChange = 16;

    private const int MostEndedAtOnce = 1024;

    private SubscriptionTable? _subscriptions;

    private bool _toldTooMany;

    /// <summary>Whose subscription it is; null when it is no client's.</summary>
    internal static ClientSession? Of(Subscription subscription) => (subscription.Subscriber as ConnectionTarget)?.Owner as ClientSession;

    /// <summary>Null when it has subscribed to nothing.</summary>
    internal SubscriptionTable? SubscriptionTable => _subscriptions;

    internal int SubscriptionCount => _subscriptions?.Count ?? 0;

    /// <summary>Takes a subscription out of the table that a delivery has ended. On the session's loop.</summary>
    internal void Forget(Subscription subscription) => _subscriptions?.Remove(subscription);

    private bool Subscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
    {
        if (Access is { LimitsReceiving: true } access && !access.MaySubscribe(filter, queue))
        {
            RefuseSubscription(filter, queue);
            return GoesOn;
        }

        if (_server.Options.MaxSubscriptions is var most and not 0 && SubscriptionCount >= most)
        {
            TellTooMany();
            return GoesOn;
        }

        // One that its limit has ended on another loop may still be in the table: the client knows of the end already, by the
        // last message, and the sid is free.
        Subscription? known = _subscriptions?.Find(sid);
        if (known is null || known.IsClosed)
        {
            // Only now, as nats-server: a filter that comes with a sid in use is not looked at.
            if (!Subject.IsValidFilter(filter))
            {
                WriteError("Invalid Subject");
                return GoesOn;
            }

            _subscriptions ??= StartSubscriptions();
            if (known is not null)
            {
                _subscriptions.Remove(known);
            }

            var subscription = new Subscription(_target, filter.ToArray(), queue.IsEmpty ? null : queue.ToArray(), sid);
            _subscriptions.Add(subscription);
            long work = StepsOfChange;
            _account.Add(subscription, ref work);
            _publisher.Spend(work);
        }

        Acknowledge();
        return GoesOn;
    }

    private void TellTooMany()
    {
        WriteError("maximum subscriptions exceeded");
        if (!_toldTooMany)
        {
            _toldTooMany = true;
            _server.Log.TooManySubscriptions(Id, RemoteEndPoint);
        }
    }

    private bool Unsubscribe(ReadOnlySpan<byte> sid, int max)
    {
        if (_subscriptions?.Find(sid) is { } subscription)
        {
            // The limit is set before the count is read: a publisher on another loop that counts meanwhile sees the limit,
            // or its count is seen here.
            subscription.Max = max;
            Interlocked.MemoryBarrier();
            if (max == 0 || subscription.Delivered >= max)
            {
                End(subscription);
            }
        }

        Acknowledge();
        return GoesOn;
    }

    private void End(Subscription subscription)
    {
        _subscriptions!.Remove(subscription);
        long work = StepsOfChange;
        _account.Remove(subscription, ref work);
        _publisher.Spend(work);
    }

    private void EndSubscriptions()
    {
        if (_subscriptions is not null)
        {
            foreach (Subscription subscription in _subscriptions)
            {
                _account.Remove(subscription);
            }

            _subscriptions = null;
        }
    }

    // Nobody is sent anything for them any more, so that there is no haste: who had a hundred thousand must not keep the loop.
    private void EndSubscriptionsInTurns()
    {
        if (_subscriptions is { } all)
        {
            _subscriptions = null;
            EndFrom(_account, all.Copy(), 0);
        }
    }

    private void EndFrom(Account account, Subscription[] all, int first)
    {
        int end = Math.Min(all.Length, first + MostEndedAtOnce);
        for (int i = first; i < end; i++)
        {
            account.Remove(all[i]);
        }

        if (end < all.Length)
        {
            _loop.Post(() => EndFrom(account, all, end));
        }
    }
}
