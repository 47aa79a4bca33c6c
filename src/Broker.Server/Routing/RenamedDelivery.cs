namespace Broker.Server;

/// <summary>A subscription that receives a message under another subject, because of a stream import.</summary>
/// <param name="Subscription">The client's subscription.</param>
/// <param name="Route">A route with the other subject.</param>
internal sealed record RenamedDelivery(Subscription Subscription, Route Route);
