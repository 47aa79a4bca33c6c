using Broker.Bridge;
using Broker.ZeroMq;

namespace Broker.Cli.Settings;

/// <summary>
/// Where ZeroMQ programs are found, as a user writes it: <c>bind tcp://127.0.0.1:5556</c>, <c>connect ipc:///run/feed</c>. Without a verb
/// it is bound.
/// </summary>
internal static class ZeroMqEndpointText
{
    /// <summary>What <see cref="TryParse"/> takes, in words for a message.</summary>
    public const string Shape = "an endpoint such as \"bind tcp://127.0.0.1:5556\" or \"connect tcp://host:5556\"";

    private const string BindVerb = "bind";
    private const string ConnectVerb = "connect";

    /// <summary>Null when it is none.</summary>
    public static BridgeEndpoint? TryParse(string text)
    {
        string[] words = text.Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
        bool isBound = words.Length == 1 || (words.Length == 2 && words[0].Equals(BindVerb, StringComparison.OrdinalIgnoreCase));
        bool isConnected = words.Length == 2 && words[0].Equals(ConnectVerb, StringComparison.OrdinalIgnoreCase);
        if (!(isBound || isConnected) || !ZeroMqEndpoint.TryParse(words[^1], out ZeroMqEndpoint? endpoint, out _)
            || endpoint.IsInproc)
        {
            return null;
        }

        // A wildcard can be bound alone.
        return isConnected && !endpoint.IsIpc && (endpoint.Port == 0 || endpoint.Host is "*")
            ? null
            : new BridgeEndpoint(isBound, endpoint.ToString());
    }

    /// <summary>With who may connect.</summary>
    public static string FormatAll(BridgeEndpoint endpoint) => $"{Format(endpoint)} {string.Join(' ', endpoint.AllowedAddresses)}";

    public static string Format(BridgeEndpoint endpoint) => $"{(endpoint.Bind ? BindVerb : ConnectVerb)} {endpoint.Endpoint}";
}
