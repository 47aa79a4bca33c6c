namespace Broker.Server;

/// <summary>
/// Client connections in the requested order. Most open connections are not described: only their sort key is computed.
/// </summary>
internal sealed class ConnectionList(ConnectionQuery query, DateTime now, long tick)
{
    private readonly List<Entry> _entries = [];

    /// <summary>The number of connections before the filter for a connection id is applied.</summary>
    internal int Total { get; private set; }

    internal void AddOpen(ICollection<ClientSession> sessions)
    {
        _entries.EnsureCapacity(sessions.Count);
        foreach (ClientSession session in sessions)
        {
            // The account is checked first, so that clients of other accounts are not described.
            if (IsWanted(query.Account, session.Account.Name))
            {
                bool mustLook = query.User is not null || query.Account is not null;
                Add(new Entry(session.Id, KeyOf(session), null, mustLook ? session.Describe(now) : null, session));
            }
        }
    }

    /// <summary>
    /// Removes all connections except the connections with these ids. The total still counts removed connections.
    /// </summary>
    internal void Keep(HashSet<ulong> ids) => _entries.RemoveAll(e => !ids.Contains(e.Id));

    internal void AddClosed(ConnectionDescription[] closed)
    {
        foreach (ConnectionDescription facts in closed)
        {
            Add(new Entry(facts.Id, KeyOf(facts), facts.Reason, facts, null));
        }
    }

    internal List<Entry> Page()
    {
        if (query.Id is { } id)
        {
            return _entries.FindAll(e => e.Id == id);
        }

        _entries.Sort(query.Order == ConnectionOrder.Reason
            ? static (a, b) => string.CompareOrdinal(a.Text, b.Text) is var c and not 0 ? c : a.Id.CompareTo(b.Id)
            : static (a, b) => a.Key.CompareTo(b.Key) is var c and not 0 ? c : a.Id.CompareTo(b.Id));
        int offset = Math.Min(query.Offset, _entries.Count);
        return _entries.GetRange(offset, Math.Min(query.Limit, _entries.Count - offset));
    }

    private void Add(Entry entry)
    {
        if (!IsWanted(query.Account, entry.Facts?.Account))
        {
            return;
        }

        // The total counts the connections of all users of the account.
        Total++;
        if (IsWanted(query.User, entry.Facts?.User))
        {
            _entries.Add(entry);
        }
    }

    private static bool IsWanted(string? wanted, string? actual)
        => wanted is null || string.Equals(wanted, actual, StringComparison.Ordinal);

    // The list is sorted by ascending key.
    private long KeyOf(ClientSession session) => query.Order switch
    {
        ConnectionOrder.Started => session.Started.Ticks,
        ConnectionOrder.Subscriptions => -session.Subscriptions.Count,
        ConnectionOrder.Pending => -session.PendingBytes,
        ConnectionOrder.MessagesOut => -session.MessagesOut,
        ConnectionOrder.MessagesIn => -session.MessagesIn,
        ConnectionOrder.BytesOut => -session.PayloadOut,
        ConnectionOrder.BytesIn => -session.PayloadIn,
        ConnectionOrder.LastActivity => (tick - session.LastActivityTick) * TimeSpan.TicksPerMillisecond,
        ConnectionOrder.Idle => (session.LastActivityTick - tick) * TimeSpan.TicksPerMillisecond,
        ConnectionOrder.Uptime => -session.Started.Ticks,
        _ => 0,
    };

    private long KeyOf(ConnectionDescription facts) => query.Order switch
    {
        ConnectionOrder.Started => facts.Started.Ticks,
        ConnectionOrder.Subscriptions => -facts.Subscriptions,
        ConnectionOrder.Pending => -facts.PendingBytes,
        ConnectionOrder.MessagesOut => -facts.MessagesOut,
        ConnectionOrder.MessagesIn => -facts.MessagesIn,
        ConnectionOrder.BytesOut => -facts.BytesOut,
        ConnectionOrder.BytesIn => -facts.BytesIn,
        ConnectionOrder.LastActivity => (now - facts.LastActivity).Ticks,
        ConnectionOrder.Idle => (facts.LastActivity - now).Ticks,
        ConnectionOrder.Uptime => -facts.Started.Ticks,
        ConnectionOrder.Stopped => facts.Stopped?.Ticks ?? 0,
        _ => 0,
    };

    /// <summary>A client connection and its sort key.</summary>
    internal readonly record struct Entry(ulong Id, long Key, string? Text, ConnectionDescription? Facts, ClientSession? Session)
    {
        internal ConnectionDescription Describe(DateTime now) => Facts ?? Session!.Describe(now);
    }
}
