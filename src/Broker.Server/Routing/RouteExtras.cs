namespace Broker.Server.Routing;

/// <summary>Who else a route leads to than those who are sent every message as it is: most routes have none of them.</summary>
internal sealed class RouteExtras
{
    private RouteExtras(QueueGroup[] queues, RenamedDelivery[] renamed, long cost)
    {
        Queues = queues;
        Renamed = renamed;
        Cost = cost;
    }

    /// <inheritdoc cref="Route.Queues"/>
    internal QueueGroup[] Queues { get; }

    /// <inheritdoc cref="Route.Renamed"/>
    internal RenamedDelivery[] Renamed { get; }

    /// <summary>About how many bytes they hold.</summary>
    internal long Cost { get; }

    /// <summary>Null for none.</summary>
    internal static RouteExtras? Of(QueueGroup[] queues, RenamedDelivery[] renamed, long queuesCost)
        => queues.Length == 0 && renamed.Length == 0 ? null : new(queues, renamed, queuesCost + renamed.Sum(static r => r.Route.Cost));
}
