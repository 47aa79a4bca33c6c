namespace Broker.Server;

/// <summary>The statistics of a router. Written under the router's lock.</summary>
internal record struct RouterCounts
{
    internal int Subscriptions { get; set; }

    internal int Routes { get; set; }

    internal long Inserts { get; set; }

    internal long Removes { get; set; }

    /// <summary>The number of searches for a route that the publisher did not keep itself.</summary>
    internal long Matches { get; set; }

    /// <summary>The number of searches for a route that took the router's lock.</summary>
    internal long LockedSearches { get; set; }

    /// <summary>The number of searches that found a stored route.</summary>
    internal long Hits { get; set; }

    internal long Built { get; set; }

    /// <summary>The total number of subscriptions in all routes that were built.</summary>
    internal long Fanout { get; set; }

    internal int MaxFanout { get; set; }

    internal static RouterCounts Sum(RouterCounts one, RouterCounts other) => new()
    {
        Subscriptions = one.Subscriptions + other.Subscriptions,
        Routes = one.Routes + other.Routes,
        Inserts = one.Inserts + other.Inserts,
        Removes = one.Removes + other.Removes,
        Matches = one.Matches + other.Matches,
        LockedSearches = one.LockedSearches + other.LockedSearches,
        Hits = one.Hits + other.Hits,
        Built = one.Built + other.Built,
        Fanout = one.Fanout + other.Fanout,
        MaxFanout = Math.Max(one.MaxFanout, other.MaxFanout),
    };
}
