namespace Broker.Bridge;

/// <summary>The counters of a PUB/SUB route at one moment.</summary>
/// <remarks>
/// <see cref="RouteSnapshot.Dropped"/> counts the copies dropped at the high-water marks of SUBs, and the messages
/// dropped because no NATS server was connected or the server received them too slowly.
/// </remarks>
public sealed record PubSubRouteSnapshot : RouteSnapshot
{
    /// <summary>The number of PUB programs that are connected now.</summary>
    public int Publishers { get; init; }

    /// <summary>The number of SUB programs that are connected now.</summary>
    public int Subscribers { get; init; }

    /// <summary>The number of topics with a last value.</summary>
    public int LastValues { get; init; }

    /// <summary>The size of the last values in bytes.</summary>
    public long LastValueBytes { get; init; }

    /// <summary>Last values that were sent to SUBs. <see cref="RouteSnapshot.ToZeroMq"/> includes them.</summary>
    public long LastValuesSent { get; init; }

    /// <summary>Last values that were removed or not kept because of the limits.</summary>
    public long LastValuesForgotten { get; init; }

    /// <summary>The endpoints that PUBs can connect to, with the ports that the system has assigned.</summary>
    public IReadOnlyList<string> PublisherEndpoints { get; init; } = [];

    /// <summary>The endpoints that SUBs can connect to, with the ports that the system has assigned.</summary>
    public IReadOnlyList<string> SubscriberEndpoints { get; init; } = [];

    /// <summary>The number of refused messages for each reason. Reasons without messages are left out.</summary>
    public IReadOnlyDictionary<MapStatus, long> RefusedBecause { get; init; } = new Dictionary<MapStatus, long>();
}
