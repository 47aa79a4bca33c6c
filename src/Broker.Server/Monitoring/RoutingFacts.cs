namespace Broker.Server.Monitoring;

/// <summary>What the router holds and has done. Immutable.</summary>
/// <param name="Subscriptions">Subscriptions now.</param>
/// <param name="CachedSubjects">Subjects whose receivers are remembered.</param>
/// <param name="Inserts">Subscriptions that were ever made.</param>
/// <param name="Removes">Subscriptions that ended.</param>
/// <param name="Matches">How often a publisher had to ask where a subject goes.</param>
/// <param name="CacheHitRate">Which part of these were remembered, from 0 to 1.</param>
/// <param name="MaxFanout">The most subscriptions that a subject was found to have.</param>
/// <param name="AverageFanout">How many a subject was found to have on average.</param>
public sealed record RoutingFacts(
    int Subscriptions,
    int CachedSubjects,
    long Inserts,
    long Removes,
    long Matches,
    double CacheHitRate,
    int MaxFanout,
    double AverageFanout);
