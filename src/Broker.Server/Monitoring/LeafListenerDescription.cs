namespace Broker.Server;

/// <summary>The address at which other servers join this server as leaf nodes, for the monitoring pages.</summary>
/// <param name="Host">The IP address.</param>
/// <param name="Port">The port.</param>
public sealed record LeafListenerDescription(string Host, int Port)
{
    /// <summary>How long a leaf node may take for its CONNECT.</summary>
    public TimeSpan AuthTimeout { get; init; }

    /// <summary>How long a TLS handshake may take; null without TLS.</summary>
    public TimeSpan? TlsTimeout { get; init; }

    /// <summary>Whether leaf nodes must have a client certificate.</summary>
    public bool IsTlsVerified { get; init; }
}
