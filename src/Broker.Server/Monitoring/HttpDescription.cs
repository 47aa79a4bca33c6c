using System.Net;

namespace Broker.Server;

/// <summary>The HTTP address of a server's monitoring pages. Immutable.</summary>
public sealed record HttpDescription
{
    internal static HttpDescription None { get; } = new();

    /// <summary>The address; null if a web application of the program serves the pages.</summary>
    public EndPoint? EndPoint { get; init; }

    /// <summary>The prefix of the pages' paths; empty if they are at the root.</summary>
    public string BasePath { get; init; } = "";

    /// <summary>Whether the address uses TLS.</summary>
    public bool IsSecure { get; init; }

    /// <summary>The maximum number of concurrent connections at the address.</summary>
    public int MaxConnections { get; init; }

    /// <summary>The number of requests for each page.</summary>
    public IReadOnlyDictionary<string, long> Requests { get; init; } = new Dictionary<string, long>(StringComparer.Ordinal);

    /// <summary>The server's address for WebSockets; null if the server accepts no WebSockets.</summary>
    public WebSocketDescription? WebSockets { get; init; }
}
