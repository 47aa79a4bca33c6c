using Broker.Bridge.Mapping;
using Broker.Bridge.Routes;

namespace Broker.Bridge.PubSub;

/// <summary>What a PUB/SUB route has done, at a moment.</summary>
/// <remarks>
/// <see cref="RouteSnapshot.Dropped"/> counts copies lost at SUBs' high-water marks, and messages lost because no NATS server was connected or
/// took them.
/// </remarks>
public sealed record PubSubRouteSnapshot : RouteSnapshot
{
    /// <summary>PUB connections now.</summary>
    public int Publishers { get; init; }

    /// <summary>SUB connections now.</summary>
    public int Subscribers { get; init; }

    /// <summary>Topics whose last value is kept.</summary>
    public int LastValues { get; init; }

    /// <summary>Bytes that these take.</summary>
    public long LastValueBytes { get; init; }

    /// <summary>Last values that were sent to SUBs; they are in <see cref="RouteSnapshot.ToZeroMq"/> too.</summary>
    public long LastValuesSent { get; init; }

    /// <summary>Last values that were not kept, or not any more, for want of room.</summary>
    public long LastValuesForgotten { get; init; }

    /// <summary>Where PUBs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> PublisherEndpoints { get; init; } = [];

    /// <summary>Where SUBs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> SubscriberEndpoints { get; init; } = [];

    /// <summary>Why messages were not mapped, and how many; reasons that did not occur are left out.</summary>
    public IReadOnlyDictionary<MapStatus, long> RefusedBecause { get; init; } = new Dictionary<MapStatus, long>();
}
