namespace Broker.Server.Routing;

/// <summary>A subscription that gets a message by another name than it was published under: by a stream import.</summary>
/// <param name="Subscription">The client's own.</param>
/// <param name="Route">Has the name.</param>
internal sealed record RenamedDelivery(Subscription Subscription, Route Route);
