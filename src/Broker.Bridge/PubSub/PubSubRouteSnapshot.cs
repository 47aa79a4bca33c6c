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

    /// <summary>Where PUBs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> PublisherEndpoints { get; init; } = [];

    /// <summary>Where SUBs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> SubscriberEndpoints { get; init; } = [];

    /// <summary>Why messages were not mapped, and how many; reasons that did not occur are left out.</summary>
    public IReadOnlyDictionary<MapStatus, long> RefusedBecause { get; init; } = new Dictionary<MapStatus, long>();
}
