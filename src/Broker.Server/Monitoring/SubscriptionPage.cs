namespace Broker.Server.Monitoring;

/// <summary>A part of the list of subscriptions. Immutable.</summary>
/// <param name="Subscriptions">The subscriptions of this page.</param>
/// <param name="Offset">How many were passed over.</param>
/// <param name="Limit">How many there may be on a page.</param>
public sealed record SubscriptionPage(IReadOnlyList<SubscriptionFacts> Subscriptions, int Offset, int Limit);
