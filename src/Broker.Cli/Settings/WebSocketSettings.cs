using Broker.Server;

namespace Broker.Cli.Settings;

/// <summary>The settings of the WebSocket listener.</summary>
internal sealed record WebSocketSettings
{
    public required ListenAddress Address { get; init; }

    /// <summary>Whether the configuration gives no host.</summary>
    public bool IsHostDefault { get; init; }

    /// <summary>The TLS options. Null means no TLS, and requires <see cref="NoTls"/>.</summary>
    public ServerTlsOptions? Tls { get; init; }

    /// <summary>Whether the listener may start without TLS.</summary>
    public bool NoTls { get; init; }

    /// <summary>The origins of pages that may connect, or none for all.</summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    public bool SameOrigin { get; init; }

    public bool Compression { get; init; }

    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>The <c>host:port</c> that <c>/varz</c> shows.</summary>
    public string? Advertise { get; init; }
}
