using Broker.Bridge.Routes;
using Broker.Client;

namespace Broker.Bridge;

/// <summary>What a bridge has done, at a moment.</summary>
/// <param name="Server">The server in use, as <c>host:port</c>, or by its name where a dialer reaches it; null while there is none.</param>
/// <param name="Client">The counters of the bridge's connection, with what was lost when servers were.</param>
/// <param name="Routes">Those of its routes, in the order in which they were added.</param>
public sealed record BridgeSnapshot(string? Server, ClientStatistics Client, IReadOnlyList<RouteSnapshot> Routes)
{
    /// <summary>Connections to the bridge's loops that were closed at once for want of file descriptors.</summary>
    public long RefusedConnections { get; init; }

    /// <summary>The counters of a route; null when there is none of that name.</summary>
    public RouteSnapshot? this[string route] => Routes.FirstOrDefault(r => string.Equals(r.Name, route, StringComparison.Ordinal));
}
