namespace Broker.Server;

/// <summary>The state of one subscription. Immutable.</summary>
/// <param name="Account">The name of the account.</param>
/// <param name="Subject">The subject or filter. It may contain any characters except white space.</param>
/// <param name="Queue">The queue group; null for a subscription without a queue group.</param>
/// <param name="Id">The subscription id (sid) that the client chose.</param>
/// <param name="Messages">The number of delivered messages.</param>
/// <param name="Max">The number of messages after which the subscription ends; 0 for no limit.</param>
/// <param name="ConnectionId">The id of the client.</param>
public sealed record SubscriptionDescription(
    string Account, string Subject, string? Queue, string Id, long Messages, long Max, ulong ConnectionId);
