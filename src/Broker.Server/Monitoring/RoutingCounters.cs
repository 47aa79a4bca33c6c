namespace Broker.Server;

/// <summary>The counters of a router. Immutable.</summary>
/// <param name="Subscriptions">The current number of subscriptions.</param>
/// <param name="CachedSubjects">The number of subjects with a cached route.</param>
/// <param name="Inserts">The number of subscriptions that were added since the start.</param>
/// <param name="Removes">The number of subscriptions that were removed since the start.</param>
/// <param name="Matches">The number of lookups of a subject by publishers.</param>
/// <param name="CacheHitRate">The share of the lookups that found a cached route, from 0 to 1.</param>
/// <param name="MaxFanout">The largest number of subscriptions that a lookup found for a subject.</param>
/// <param name="AverageFanout">The average number of subscriptions that lookups found for a subject.</param>
public sealed record RoutingCounters(
    int Subscriptions,
    int CachedSubjects,
    long Inserts,
    long Removes,
    long Matches,
    double CacheHitRate,
    int MaxFanout,
    double AverageFanout);
