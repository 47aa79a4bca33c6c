namespace Broker.Server;

/// <summary>The response of <c>/subsz</c>, with the field names of nats-server.</summary>
internal sealed record Subsz
{
    public string? ServerId { get; init; }

    public DateTime? Now { get; init; }

    public int NumSubscriptions { get; init; }

    public int NumCache { get; init; }

    public long NumInserts { get; init; }

    public long NumRemoves { get; init; }

    public long NumMatches { get; init; }

    public double CacheHitRate { get; init; }

    public int MaxFanout { get; init; }

    public double AvgFanout { get; init; }

    public int? Total { get; init; }

    public int? Offset { get; init; }

    public int? Limit { get; init; }

    public IEnumerable<SubscriptionDetail>? SubscriptionsList { get; init; }

    // As in nats-server, the server's id and the time appear only with a list, and the total is the length of the list.
    internal static Subsz From(ServerDescription server, RoutingCounters routing, SubscriptionPage? page) => Of(routing) with
    {
        ServerId = page is null ? null : server.Id,
        Now = page is null ? null : server.Now,
        Total = page?.Subscriptions.Count,
        Offset = page?.Offset,
        Limit = page?.Limit,
        SubscriptionsList = page?.Subscriptions.Select(s => SubscriptionDetail.From(s, withAccount: true)),
    };

    internal static Subsz Of(RoutingCounters routing) => new()
    {
        NumSubscriptions = routing.Subscriptions,
        NumCache = routing.CachedSubjects,
        NumInserts = routing.Inserts,
        NumRemoves = routing.Removes,
        NumMatches = routing.Matches,
        CacheHitRate = routing.CacheHitRate,
        MaxFanout = routing.MaxFanout,
        AvgFanout = routing.AverageFanout,
    };
}
