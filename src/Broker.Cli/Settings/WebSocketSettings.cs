using Broker.Server;

namespace Broker.Cli.Settings;

/// <summary>The address at which clients come in by WebSocket.</summary>
internal sealed record WebSocketSettings
{
    public required ListenAddress Address { get; init; }

    /// <summary>Whether nobody said which host.</summary>
    public bool IsHostDefault { get; init; }

    /// <summary>The certificate, or null for none, which needs <see cref="NoTls"/>.</summary>
    public ServerTlsOptions? Tls { get; init; }

    /// <summary>Whether it may do without a certificate.</summary>
    public bool NoTls { get; init; }

    /// <summary>The pages that browsers may connect from, or none for all.</summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    public bool SameOrigin { get; init; }

    public bool Compression { get; init; }

    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>The <c>host:port</c> that is told in <c>/varz</c>.</summary>
    public string? Advertise { get; init; }
}
