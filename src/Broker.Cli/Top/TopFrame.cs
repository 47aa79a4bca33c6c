namespace Broker.Cli.Top;

/// <summary>The rates between two readings, sorted.</summary>
internal sealed record TopFrame
{
    public required ServerPage Server { get; init; }

    public required TrafficRates Rates { get; init; }

    /// <summary>The connections in their order.</summary>
    public required ConnectionRow[] Connections { get; init; }

    /// <summary>The number of all connections, also of those that the server did not list.</summary>
    public required long AllConnections { get; init; }

    /// <summary>The routes of the bridge in the order of its file, or null if the server has no bridge.</summary>
    public required RouteRow[]? Routes { get; init; }

    /// <param name="before">The previous reading, or null: then no rate is known.</param>
    /// <param name="now">The latest reading.</param>
    /// <param name="order">The order of the connections.</param>
    /// <param name="clock">The clock of the readings.</param>
    public static TopFrame Of(TopSample? before, TopSample now, TopOrder order, TimeProvider clock)
    {
        // Another server answers at the address, or the server has started again: its counters begin at 0.
        if (before?.Server.ServerId != now.Server.ServerId || before?.Server.Start != now.Server.Start)
        {
            before = null;
        }

        double seconds = before is null ? 0 : clock.GetElapsedTime(before.Time, now.Time).TotalSeconds;
        return new TopFrame
        {
            Server = now.Server,
            Rates = before is null ? TrafficRates.Unknown : RatesOf(before.Server, now.Server, seconds),
            Connections = [.. Sorted(ConnectionsOf(before?.Connections, now.Connections, seconds), order)],
            AllConnections = now.Connections.Total,
            Routes = now.Routes is null ? null : [.. RoutesOf(before?.Routes, now.Routes, seconds)],
        };
    }

    private static TrafficRates RatesOf(ServerPage before, ServerPage now, double seconds) => new(
        TrafficRates.Rate(before.InMsgs, now.InMsgs, seconds), TrafficRates.Rate(before.OutMsgs, now.OutMsgs, seconds),
        TrafficRates.Rate(before.InBytes, now.InBytes, seconds), TrafficRates.Rate(before.OutBytes, now.OutBytes, seconds));

    private static IEnumerable<ConnectionRow> ConnectionsOf(ConnectionsPage? before, ConnectionsPage now, double seconds)
    {
        Dictionary<long, ConnectionEntry> known = (before?.Connections ?? []).ToDictionary(static c => c.Cid);
        foreach (ConnectionEntry entry in now.Connections ?? [])
        {
            ConnectionEntry? old = known.GetValueOrDefault(entry.Cid);
            // The counters of a connection that is newer than the previous reading began at 0 since then.
            old ??= before is not null && entry.Start >= before.Now ? new ConnectionEntry() : null;
            yield return new ConnectionRow(entry, old is null ? TrafficRates.Unknown : new TrafficRates(
                TrafficRates.Rate(old.InMsgs, entry.InMsgs, seconds), TrafficRates.Rate(old.OutMsgs, entry.OutMsgs, seconds),
                TrafficRates.Rate(old.InBytes, entry.InBytes, seconds), TrafficRates.Rate(old.OutBytes, entry.OutBytes, seconds)));
        }
    }

    private static IEnumerable<RouteRow> RoutesOf(RoutesPage? before, RoutesPage now, double seconds)
    {
        ILookup<string?, RouteEntry> known = (before?.Routes ?? []).ToLookup(static r => r.Name, StringComparer.Ordinal);
        foreach (RouteEntry entry in now.Routes ?? [])
        {
            RouteEntry? old = known[entry.Name].FirstOrDefault();
            yield return new RouteRow(
                entry,
                RateOf(old?.FromZeroMq, entry.FromZeroMq, seconds), RateOf(old?.ToSubjects, entry.ToSubjects, seconds),
                RateOf(old?.FromSubjects, entry.FromSubjects, seconds), RateOf(old?.ToZeroMq, entry.ToZeroMq, seconds));
        }
    }

    private static double RateOf(long? before, long now, double seconds)
        => before is { } counter ? TrafficRates.Rate(counter, now, seconds) : double.NaN;

    private static IOrderedEnumerable<ConnectionRow> Sorted(IEnumerable<ConnectionRow> rows, TopOrder order)
        => rows.OrderByDescending(row => Value(row, order)).ThenBy(static row => row.Entry.Cid);

    // NaN is smaller than every number: connections whose rate is not known come last.
    private static double Value(ConnectionRow row, TopOrder order) => order switch
    {
        TopOrder.Bytes => row.Rates.Bytes,
        TopOrder.Pending => row.Entry.PendingBytes,
        TopOrder.Subscriptions => row.Entry.Subscriptions,
        _ => row.Rates.Messages,
    };
}
