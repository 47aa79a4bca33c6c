using Broker.Client;

namespace Broker.Bridge;

/// <summary>The counters of a bridge at one moment.</summary>
/// <param name="Server">
/// The connected server as <c>host:port</c>, or its name if a dialer reaches it; null if no server is connected.
/// </param>
/// <param name="Client">
/// The counters of the bridge's client connections. They include the messages that were lost with a connection.
/// </param>
/// <param name="Routes">The counters of each route, in the order in which the routes were added.</param>
public sealed record BridgeSnapshot(string? Server, ClientStatistics Client, IReadOnlyList<RouteSnapshot> Routes)
{
    /// <summary>
    /// The number of connections that the bridge closed at once because the process had no free file descriptors.
    /// </summary>
    public long RefusedConnections { get; init; }

    /// <summary>The counters of the route with this name; null if there is no such route.</summary>
    public RouteSnapshot? this[string route]
        => Routes.FirstOrDefault(r => string.Equals(r.Name, route, StringComparison.Ordinal));
}
