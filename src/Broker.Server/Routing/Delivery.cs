namespace Broker.Server.Routing;

/// <summary>A subscription in another account, or in a group with such a one, and what the message is called there.</summary>
/// <param name="Subscription">The client's own.</param>
/// <param name="Route">Has the heads of its messages.</param>
internal sealed record Delivery(Subscription Subscription, Route Route);
