using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Broker.AspNetCore;

/// <summary>How clients come in by WebSocket. Read when it starts; later changes have no effect.</summary>
public sealed class NatsWebSocketOptions
{
    /// <summary>The certificate, with its private key, of <see cref="NatsWebSocketHost"/>.</summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>
    /// TLS of <see cref="NatsWebSocketHost"/> in full, where more is to be said than the certificate: intermediate ones, those of
    /// clients. Used as it is, by every connection; then <see cref="Certificate"/> is not.
    /// </summary>
    public SslServerAuthenticationOptions? Tls { get; set; }

    /// <summary>
    /// Whether <see cref="NatsWebSocketHost"/> may do without a certificate. Default false: browsers and passwords are not for the
    /// open network, so that must be said.
    /// </summary>
    public bool NoTls { get; set; }

    /// <summary>Whether messages are compressed for clients that offer it (permessage-deflate). Default false, as in nats-server.</summary>
    public bool Compression { get; set; }

    /// <summary>
    /// Whether a browser may connect only from a page of the same host and port that its request names (Host). A proxy must pass
    /// that on as the browser sent it. Default false. Programs that are no browser send no origin and are not asked.
    /// </summary>
    public bool SameOrigin { get; set; }

    /// <summary>
    /// The origins that a browser may connect from, such as <c>https://app.example.com</c>; scheme, host and port must be equal.
    /// Empty, the default: any.
    /// </summary>
    public IReadOnlyList<string> AllowedOrigins { get; set; } = [];

    /// <summary>
    /// The largest WebSocket message in bytes, decompressed and over all its frames; a larger one closes the connection, with
    /// status 1009 where the client still reads. Whatever its size is, no more of it is held than 16 KiB at a time. Default 64 MiB.
    /// </summary>
    public long MaxMessageBytes { get; set; } = 64L * 1024 * 1024;

    /// <summary>How long a client has to send its HTTP request, the TLS handshake included. Default 2 s.</summary>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The <c>host:port</c> at which clients reach <see cref="NatsWebSocketHost"/> from outside, for <c>/varz</c>. Null, the default: the
    /// address itself.
    /// </summary>
    public string? Advertise { get; set; }

    /// <summary>How many may be connected to <see cref="NatsWebSocketHost"/> that have not sent their request yet; one more is closed at once.</summary>
    internal int MostAsking { get; set; } = 1024;

    internal bool IsSecure => Tls is not null || Certificate is not null;

    internal SslServerAuthenticationOptions? Authentication()
        => Tls ?? (Certificate is null ? null : new SslServerAuthenticationOptions { ServerCertificate = Certificate });

    internal NatsWebSocketOptions Copy()
    {
        var copy = (NatsWebSocketOptions)MemberwiseClone();
        copy.AllowedOrigins = [.. AllowedOrigins];
        return copy;
    }

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxMessageBytes);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(HandshakeTimeout, TimeSpan.Zero);
    }
}
