using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the key <c>allowed_connection_types</c> of a user. It may contain the types of all kinds of clients that
/// nats-server has; no client of the broker is of the other types.
/// </summary>
internal static class ConnectionTypes
{
    private static readonly Dictionary<string, ClientTransport[]> Names = new(StringComparer.OrdinalIgnoreCase)
    {
        ["STANDARD"] = [ClientTransport.Socket, ClientTransport.Stream],
        ["WEBSOCKET"] = [ClientTransport.WebSocket],
        ["IN_PROCESS"] = [ClientTransport.InProcess],
        ["LEAFNODE"] = [ClientTransport.LeafNode],
        ["LEAFNODE_WS"] = [],
        ["MQTT"] = [],
        ["MQTT_WS"] = [],
    };

    /// <summary>Returns the transports that a user may use; null for all.</summary>
    public static IReadOnlyList<ClientTransport>? Read(ConfigSection user)
    {
        IReadOnlyList<ClientTransport[]> types = [];
        foreach (string key in (ReadOnlySpan<string>)["allowed_connection_types", "connection_types", "clients"])
        {
            types = user.Many(key, types, "one or more of " + string.Join(", ", Names.Keys), static name => Names.GetValueOrDefault(name));
        }

        return types.Count == 0 ? null : [.. types.SelectMany(static type => type)];
    }
}
