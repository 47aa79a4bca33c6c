namespace Broker.Server.Routing;

/// <summary>What a router has done and holds. Written under the router's lock.</summary>
internal record struct RouterCounts
{
    internal int Subscriptions { get; set; }

    internal int Routes { get; set; }

    internal long Inserts { get; set; }

    internal long Removes { get; set; }

    /// <summary>How often a session asked for a route that its own cache did not hold.</summary>
    internal long Matches { get; set; }

    /// <summary>How often one did so under the router's lock.</summary>
    internal long Asked { get; set; }

    /// <summary>How often the route was remembered.</summary>
    internal long Hits { get; set; }

    internal long Built { get; set; }

    /// <summary>Subscriptions in all routes that were built.</summary>
    internal long Fanout { get; set; }

    internal int MaxFanout { get; set; }

    internal static RouterCounts Sum(RouterCounts one, RouterCounts other) => new()
    {
        Subscriptions = one.Subscriptions + other.Subscriptions,
        Routes = one.Routes + other.Routes,
        Inserts = one.Inserts + other.Inserts,
        Removes = one.Removes + other.Removes,
        Matches = one.Matches + other.Matches,
        Asked = one.Asked + other.Asked,
        Hits = one.Hits + other.Hits,
        Built = one.Built + other.Built,
        Fanout = one.Fanout + other.Fanout,
        MaxFanout = Math.Max(one.MaxFanout, other.MaxFanout),
    };
}
