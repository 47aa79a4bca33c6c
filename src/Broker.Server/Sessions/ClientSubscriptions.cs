using System.Runtime.CompilerServices;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// The subscriptions of a client: handles SUB and UNSUB. Only the connection's loop uses the table; publishers use the
/// router. Runs on the connection's loop unless a member states otherwise.
/// </summary>
internal sealed class ClientSubscriptions(ClientChannel channel, ClientIdentity identity)
{
    // The work that is charged for a SUB or UNSUB in addition to the affected routes, in visited router entries.
    private const int WorkOfChange = SubscriptionRemoval.WorkPerSubscription;

    // The work that is charged to find the subscription of a reply subject, in visited router entries.
    private const int WorkOfSearch = 16;
    private const int MaxLinearSearch = 64;

    private const int WorkPerStep = 1024;

    internal const string TooMany = "maximum subscriptions exceeded";

    private SubscriptionsBySid? _table;
    // The subscriptions that are being removed in steps. Meanwhile _table is null.
    private SubscriptionRemoval? _removal;
    private bool _reportedTooMany;

    /// <summary>The table of subscriptions; null before the first SUB, and after all have been removed.</summary>
    internal SubscriptionsBySid? Table => _table;

    /// <summary>The number of subscriptions. Thread-safe.</summary>
    internal int Count => _table?.Count ?? 0;

    internal void Subscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
    {
        if (!identity.MaySubscribe(filter, queue))
        {
            Refuse(filter, queue);
            return;
        }

        if (HasTooManyTokens(filter))
        {
            identity.ReportViolation($"Subscription to {QuotedText.Of(filter)}, too many tokens");
            return;
        }

        if (!HasRoomFor(filter, queue.Length, sid.Length))
        {
            ReportTooMany();
            return;
        }

        // A subscription that reached its limit on another loop may still be in the table. The client knows that the
        // subscription has ended, because the client has received its last message. So the sid can be used again.
        Subscription? known = _table?.Find(sid);
        if (known is null || known.IsClosed)
        {
            // As in nats-server, the filter is not checked if the sid is in use.
            if (!Subject.IsValidFilter(filter))
            {
                channel.WriteError("Invalid Subject");
                return;
            }

            _table ??= StartTable();
            if (known is not null)
            {
                RemoveFromTable(known);
            }

            var subscription = new Subscription(
                channel.Target, filter.ToArray(), queue.IsEmpty ? null : queue.ToArray(), sid);
            _table.Add(subscription);
            channel.Server.SubscriptionBytes?.Add(SubscriptionLimits.Measure(subscription));
            long work = WorkOfChange;
            identity.Account.Add(subscription, ref work);
            channel.Publisher.ChargeWork(work);
        }

        channel.Acknowledge();
    }

    internal void Unsubscribe(ReadOnlySpan<byte> sid, int max)
    {
        if (_table?.Find(sid) is { } subscription)
        {
            // Set the limit before the count is read. Then either a publisher on another loop sees the limit, or this
            // loop sees the publisher's count.
            subscription.Max = max;
            Interlocked.MemoryBarrier();
            if (max == 0 || subscription.Delivered >= max)
            {
                Remove(subscription);
            }
        }

        channel.Acknowledge();
    }

    /// <summary>
    /// Removes a subscription that has received the last message of its limit. Called on any loop. This is a separate
    /// method: otherwise the closure would be allocated for each message of a subscription with a limit.
    /// </summary>
    internal void RemoveAtLimit(Subscription subscription)
    {
        if (identity.Account.Remove(subscription))
        {
            channel.Loop.Run(() => RemoveFromTable(subscription));
        }
    }

    /// <summary>
    /// Removes subscriptions until the work budget is used up. Returns false if subscriptions remain. The caller must
    /// handle no other operation of the client before all subscriptions are removed.
    /// </summary>
    internal bool TryRemoveAll()
    {
        BeginRemoval();
        while (_removal is not null && !channel.Publisher.IsOverBudget)
        {
            channel.Publisher.ChargeWork(_removal.Advance(WorkPerStep));
            _removal = _removal.IsComplete ? null : _removal;
        }

        return _removal is null;
    }

    /// <summary>
    /// Removes the subscriptions of a closed connection in the background. They receive no messages any more, so their
    /// removal is not urgent.
    /// </summary>
    internal void RemoveInBackground()
    {
        BeginRemoval();
        if (_removal is not null)
        {
            channel.Server.RemovalsOf(channel.Loop).Add(_removal);
            _removal = null;
        }
    }

    /// <summary>
    /// Checks the subscriptions again after a change of the security rules. Removes subscriptions that are not
    /// permitted any more, and applies changed imports of the account.
    /// </summary>
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

    /// <summary>
    /// Skips the first <paramref name="skip"/> subscriptions and copies at most <paramref name="max"/> others.
    /// </summary>
    internal Subscription[] Copy(int skip, int max) => _table is null ? [] : _table.Copy(skip, max);

    /// <summary>
    /// Finds a subscription of this client without a queue group that matches a reply subject; null if the client has
    /// no such subscription. If the client has many subscriptions, the method uses the router, because a linear search
    /// for each request would be too slow.
    /// </summary>
    internal Subscription? FindInbox(ReadOnlySpan<byte> reply)
    {
        if (_table is null)
        {
            return null;
        }

        if (_table.Count > MaxLinearSearch)
        {
            long work = WorkOfSearch;
            Route route = identity.Account.Router.Find(reply, ref work);
            channel.Publisher.ChargeWork(work);
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

    // The limit that follows from the heap limit does not apply to a client of this process, because the bridge
    // subscribes for many programs.
    private bool HasRoomFor(ReadOnlySpan<byte> filter, int queueLength, int sidLength)
    {
        ServerCore server = channel.Server;
        int most = channel.RemoteEndPoint is null ? server.Options.MaxSubscriptions : server.MaxSubscriptions;
        return (most == 0 || Count < most)
            && !(Count >= identity.MaxSubscriptions)
            && (server.SubscriptionBytes is not { } budget || budget.Free >= SubscriptionLimits.Measure(filter, queueLength, sidLength));
    }

    // As in nats-server, an empty token counts too.
    private bool HasTooManyTokens(ReadOnlySpan<byte> filter)
        => channel.Server.Options.MaxSubscriptionTokens is var most and not 0
            && filter.Count(Subject.Separator) >= most;

    private SubscriptionsBySid StartTable()
    {
        // Counting must begin before a publisher can find a subscription.
        channel.Target.BeginCounting(channel.Server.LoopCount);
        return new SubscriptionsBySid(channel.Server.Accounts.Global.Router.Seed);
    }

    private void Remove(Subscription subscription)
    {
        RemoveFromTable(subscription);
        long work = WorkOfChange;
        identity.Account.Remove(subscription, ref work);
        channel.Publisher.ChargeWork(work);
    }

    private void RemoveFromTable(Subscription subscription)
    {
        if (_table is not null && _table.Remove(subscription))
        {
            channel.Server.SubscriptionBytes?.Add(-SubscriptionLimits.Measure(subscription));
        }
    }

    private void BeginRemoval()
    {
        if (_removal is null && _table is not null)
        {
            _removal = new SubscriptionRemoval(identity.Account, _table, channel.Server.SubscriptionBytes);
            _table = null;
        }
    }

    private void ReviewAccess()
    {
        foreach (Subscription subscription in _table!.Copy())
        {
            if (identity.MaySubscribe(subscription.Filter, subscription.Queue))
            {
                identity.Account.Refresh(subscription);
                continue;
            }

            Remove(subscription);
            identity.ReportViolation(
                $"Subscription to {QuotedText.Of(subscription.Filter)} (sid {QuotedText.Of(subscription.Sid)})");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Refuse(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
        => identity.ReportViolation(queue.IsEmpty
            ? $"Subscription to {QuotedText.Of(filter)}"
            : $"Subscription to {QuotedText.Of(filter)} using queue {QuotedText.Of(queue)}");

    private void ReportTooMany()
    {
        channel.WriteError(TooMany);
        if (!_reportedTooMany)
        {
            _reportedTooMany = true;
            channel.Server.Log.TooManySubscriptions(channel.Id, channel.RemoteEndPoint);
        }
    }
}
