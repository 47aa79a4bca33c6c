using Broker.Bridge;
using Broker.ZeroMq;

namespace Broker.Cli.Settings;

/// <summary>
/// Parses and formats ZeroMQ endpoints as users write them: <c>bind tcp://127.0.0.1:5556</c>, <c>connect
/// ipc:///run/feed</c>. An endpoint without a verb is bound.
/// </summary>
internal static class ZeroMqEndpointText
{
    /// <summary>Describes the input of <see cref="ParseOrNull"/> for error messages.</summary>
    public const string Shape = "an endpoint such as \"bind tcp://127.0.0.1:5556\" or \"connect tcp://host:5556\"";

    private const string BindVerb = "bind";
    private const string ConnectVerb = "connect";

    /// <summary>Returns the endpoint, or null if the text is invalid.</summary>
    public static BridgeEndpoint? ParseOrNull(string text)
    {
        string[] words = text.Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
        bool isBound = words.Length == 1 || (words.Length == 2 && words[0].Equals(BindVerb, StringComparison.OrdinalIgnoreCase));
        bool isConnected = words.Length == 2 && words[0].Equals(ConnectVerb, StringComparison.OrdinalIgnoreCase);
        if (!(isBound || isConnected) || !ZeroMqEndpoint.TryParse(words[^1], out ZeroMqEndpoint? endpoint, out _)
            || endpoint.IsInproc)
        {
            return null;
        }

        // A wildcard can only be bound.
        return isConnected && !endpoint.IsIpc && (endpoint.Port == 0 || endpoint.Host is "*")
            ? null
            : new BridgeEndpoint(isBound, endpoint.ToString());
    }

    /// <summary>Returns the endpoint with the addresses that may connect to it.</summary>
    public static string FormatAll(BridgeEndpoint endpoint) => $"{Format(endpoint)} {string.Join(' ', endpoint.AllowedAddresses)}";

    public static string Format(BridgeEndpoint endpoint) => $"{(endpoint.Bind ? BindVerb : ConnectVerb)} {endpoint.Endpoint}";
}
