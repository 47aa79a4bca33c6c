namespace Broker.Server;

/// <summary>A page of a list of subscriptions. Immutable.</summary>
/// <param name="Subscriptions">The subscriptions of this page.</param>
/// <param name="Offset">The number of subscriptions before this page.</param>
/// <param name="Limit">The maximum number of subscriptions on a page.</param>
public sealed record SubscriptionPage(IReadOnlyList<SubscriptionDescription> Subscriptions, int Offset, int Limit);
