using System.Net;

namespace Broker.Server;

/// <summary>The address of a server for WebSocket clients, and its options. Immutable.</summary>
public sealed record WebSocketDescription
{
    /// <summary>The address.</summary>
    public EndPoint? EndPoint { get; init; }

    /// <summary>The <c>host:port</c> that other programs should use; null for the address itself.</summary>
    public string? Advertise { get; init; }

    /// <summary>The maximum time for a handshake.</summary>
    public TimeSpan HandshakeTimeout { get; init; }

    /// <summary>Whether clients connect without TLS.</summary>
    public bool NoTls { get; init; }

    /// <summary>Whether a web page must come from the server's own origin to connect.</summary>
    public bool SameOrigin { get; init; }

    /// <summary>The other origins whose web pages may connect.</summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>Whether messages may be compressed.</summary>
    public bool Compression { get; init; }
}
