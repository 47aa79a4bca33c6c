namespace Broker.Server;

/// <summary>The queue groups and renamed deliveries of a route. Most routes have none.</summary>
internal sealed class RouteExtras
{
    private RouteExtras(QueueGroup[] queues, RenamedDelivery[] renamed, long cost)
    {
        QueueGroups = queues;
        RenamedDeliveries = renamed;
        Cost = cost;
    }

    /// <inheritdoc cref="Route.QueueGroups"/>
    internal QueueGroup[] QueueGroups { get; }

    /// <inheritdoc cref="Route.RenamedDeliveries"/>
    internal RenamedDelivery[] RenamedDeliveries { get; }

    /// <summary>The approximate number of bytes that the queue groups and renamed deliveries use.</summary>
    internal long Cost { get; }

    /// <summary>Creates an instance, or returns null if there are no queue groups and no renamed deliveries.</summary>
    internal static RouteExtras? Of(QueueGroup[] queues, RenamedDelivery[] renamed, long queuesCost)
        => queues.Length == 0 && renamed.Length == 0 ? null : new(queues, renamed, queuesCost + renamed.Sum(static r => r.Route.Cost));
}
