using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore;

/// <summary>Options for WebSocket clients. They are read at the start; later changes have no effect.</summary>
public sealed class NatsWebSocketOptions
{
    /// <summary>The certificate of <see cref="NatsWebSocketHost"/>, with its private key.</summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>
    /// All TLS options of <see cref="NatsWebSocketHost"/>, for example to use intermediate or client certificates. If
    /// this property is set, every connection uses this object unchanged, and <see cref="Certificate"/> is ignored.
    /// </summary>
    public SslServerAuthenticationOptions? Tls { get; set; }

    /// <summary>
    /// Whether <see cref="NatsWebSocketHost"/> may start without a certificate. Default: false, so that passwords are
    /// not sent in clear text by mistake.
    /// </summary>
    public bool NoTls { get; set; }

    /// <summary>
    /// Whether messages are compressed for clients that offer compression (permessage-deflate). Default: false, as in
    /// nats-server.
    /// </summary>
    public bool Compression { get; set; }

    /// <summary>
    /// Whether a browser may connect only from a page whose host and port equal the request's Host header. A proxy must
    /// pass this header on unchanged. Default: false. Programs other than browsers send no origin and are always
    /// allowed.
    /// </summary>
    public bool SameOrigin { get; set; }

    /// <summary>
    /// The origins that a browser may connect from, such as <c>https://app.example.com</c>. Scheme, host and port must
    /// be equal. If empty (the default), all origins are allowed.
    /// </summary>
    public IReadOnlyList<string> AllowedOrigins { get; set; } = [];

    /// <summary>
    /// Receives a warning (event 60) for each request whose origin is refused. Null, the default, means the logger of
    /// the web application. <see cref="NatsWebSocketHost"/> has no such logger.
    /// </summary>
    public ILogger? Logger { get; set; }

    /// <summary>
    /// The maximum size of a WebSocket message in bytes: the sum of all its frames, decompressed. A larger message
    /// closes the connection with status 1009. At most 16 KiB of a message are buffered at a time. Default: 64 MiB.
    /// </summary>
    public long MaxMessageBytes { get; set; } = 64L * 1024 * 1024;

    /// <summary>The time limit for a client's HTTP request, including the TLS handshake. Default: 2 s.</summary>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The <c>host:port</c> at which clients reach <see cref="NatsWebSocketHost"/> from outside, for <c>/varz</c>.
    /// Null, the default, means the bound address.
    /// </summary>
    public string? Advertise { get; set; }

    /// <summary>
    /// The maximum number of connections to <see cref="NatsWebSocketHost"/> that have no running request. When it is
    /// reached, the connection that has been idle longest is closed for a new one.
    /// </summary>
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
