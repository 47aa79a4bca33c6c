using System.Runtime.CompilerServices;
using Broker.Protocol.Subjects;
using Broker.Server.Routing;
using Broker.Server.Security;

namespace Broker.Server.Sessions;

/// <summary>
/// What a client has subscribed to: SUB and UNSUB. The table is the loop's; what publishers see is the router's. On the connection's loop
/// unless said otherwise.
/// </summary>
internal sealed class ClientSubscriptions(ClientChannel channel, ClientIdentity identity)
{
    // What a SUB or UNSUB costs beside the routes that it concerns, in places looked at.
    private const int StepsOfChange = SubscriptionEnding.StepsOfOne;

    // What the search for the one that an answer would come by costs, in places looked at.
    private const int StepsOfSearch = 16;
    private const int MostToSearch = 64;

    private const int StepsBetweenLooks = 1024;

    private SubscriptionTable? _table;
    // What it had subscribed to, where that ends by steps. There is no table then.
    private SubscriptionEnding? _ending;
    private bool _toldTooMany;

    /// <summary>Null when it has subscribed to nothing.</summary>
    internal SubscriptionTable? Table => _table;

    /// <summary>How many. Any thread.</summary>
    internal int Count => _table?.Count ?? 0;

    internal void Subscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
    {
        if (identity.Access is { LimitsReceiving: true } access && !access.MaySubscribe(filter, queue))
        {
            Refuse(filter, queue);
            return;
        }

        if (channel.Server.Options.MaxSubscriptions is var most and not 0 && Count >= most)
        {
            TellTooMany();
            return;
        }

        // One that its limit has ended on another loop may still be in the table: the client knows of the end already, by the
        // last message, and the sid is free.
        Subscription? known = _table?.Find(sid);
        if (known is null || known.IsClosed)
        {
            // Only now, as nats-server: a filter that comes with a sid in use is not looked at.
            if (!Subject.IsValidFilter(filter))
            {
                channel.WriteError("Invalid Subject");
                return;
            }

            _table ??= StartTable();
            if (known is not null)
            {
                _table.Remove(known);
            }

            var subscription = new Subscription(channel.Target, filter.ToArray(), queue.IsEmpty ? null : queue.ToArray(), sid);
            _table.Add(subscription);
            long work = StepsOfChange;
            identity.Account.Add(subscription, ref work);
            channel.Publisher.Spend(work);
        }

        channel.Acknowledge();
    }

    internal void Unsubscribe(ReadOnlySpan<byte> sid, int max)
    {
        if (_table?.Find(sid) is { } subscription)
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

        channel.Acknowledge();
    }

    /// <summary>
    /// A subscription has had the last message that its limit lets it have. Any loop; by itself, or its closure would be made for every message
    /// of a subscription that has a limit.
    /// </summary>
    internal void EndByLimit(Subscription subscription)
    {
        if (identity.Account.Remove(subscription))
        {
            channel.Loop.Run(() => _table?.Remove(subscription));
        }
    }

    /// <summary>As many as there is time for. False when there are more: nothing else may be done for the client before all have ended.</summary>
    internal bool TryEndAll()
    {
        BeginEnding();
        while (_ending is not null && !channel.Publisher.IsSpent)
        {
            channel.Publisher.Spend(_ending.Advance(StepsBetweenLooks));
            _ending = _ending.IsOver ? null : _ending;
        }

        return _ending is null;
    }

    /// <summary>The client is gone. Nobody is sent anything for them any more, so that there is no haste.</summary>
    internal void Leave()
    {
        BeginEnding();
        if (_ending is not null)
        {
            channel.Server.EndingsOf(channel.Loop).Add(_ending);
            _ending = null;
        }
    }

    /// <summary>The rules have been replaced, and may refuse some of them; accounts may lead elsewhere.</summary>
    internal void Review(bool accessChanged)
    {
        if (_table is null)
        {
            return;
        }

        if (accessChanged)
        {
            ReviewAccess();
        }

        if (identity.Account.ImportsStreams)
        {
            foreach (Subscription subscription in _table)
            {
                identity.Account.ApplyImports(subscription);
            }
        }
    }

    /// <summary>Up to <paramref name="most"/> of them, from the <paramref name="skip"/>-th on.</summary>
    internal Subscription[] Copy(int skip, int most) => _table is null ? [] : _table.Copy(skip, most);

    /// <summary>
    /// The own plain subscription that an answer would come by; null for none. Nearly always there are a few; who has many must not make
    /// each of its requests a search through them.
    /// </summary>
    internal Subscription? FindInbox(ReadOnlySpan<byte> reply)
    {
        if (_table is null)
        {
            return null;
        }

        if (_table.Count > MostToSearch)
        {
            long work = StepsOfSearch;
            Route route = identity.Account.Router.Find(reply, ref work);
            channel.Publisher.Spend(work);
            return route.FindPlain(s => s.Subscriber == channel.Target && !s.IsClosed);
        }

        foreach (Subscription subscription in _table)
        {
            if (subscription.Queue is null && !subscription.IsClosed && Subject.Matches(subscription.Filter, reply))
            {
                return subscription;
            }
        }

        return null;
    }

    private SubscriptionTable StartTable()
    {
        // Before a publisher can find a subscription.
        channel.Target.BeginCounting(channel.Server.LoopCount);
        return new SubscriptionTable(channel.Server.Accounts.Global.Router.Seed);
    }

    private void End(Subscription subscription)
    {
        _table!.Remove(subscription);
        long work = StepsOfChange;
        identity.Account.Remove(subscription, ref work);
        channel.Publisher.Spend(work);
    }

    private void BeginEnding()
    {
        if (_ending is null && _table is not null)
        {
            _ending = new SubscriptionEnding(identity.Account, _table);
            _table = null;
        }
    }

    private void ReviewAccess()
    {
        foreach (Subscription subscription in _table!.Copy())
        {
            if (identity.Access?.MaySubscribe(subscription.Filter, subscription.Queue) != false)
            {
                identity.Account.Refresh(subscription);
                continue;
            }

            End(subscription);
            identity.Violate($"Subscription to {QuotedText.Of(subscription.Filter)} (sid {QuotedText.Of(subscription.Sid)})");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Refuse(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
        => identity.Violate(queue.IsEmpty
            ? $"Subscription to {QuotedText.Of(filter)}"
            : $"Subscription to {QuotedText.Of(filter)} using queue {QuotedText.Of(queue)}");

    private void TellTooMany()
    {
        channel.WriteError("maximum subscriptions exceeded");
        if (!_toldTooMany)
        {
            _toldTooMany = true;
            channel.Server.Log.TooManySubscriptions(channel.Id, channel.RemoteEndPoint);
        }
    }
}
