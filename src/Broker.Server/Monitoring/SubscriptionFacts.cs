namespace Broker.Server.Monitoring;

/// <summary>One subscription at a moment. Immutable.</summary>
/// <param name="Account">The account that it is in.</param>
/// <param name="Subject">The subject or filter, as text; it may hold anything that is no white space.</param>
/// <param name="Queue">The queue group; null for a plain subscription.</param>
/// <param name="Id">What its client calls it.</param>
/// <param name="Messages">How many messages it has been sent.</param>
/// <param name="Max">After how many it ends; 0 for never.</param>
/// <param name="ConnectionId">Whose it is.</param>
public sealed record SubscriptionFacts(
    string Account, string Subject, string? Queue, string Id, long Messages, long Max, ulong ConnectionId);
