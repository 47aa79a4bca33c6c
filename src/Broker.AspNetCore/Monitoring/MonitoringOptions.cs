using System.Net;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Http;

namespace Broker.AspNetCore;

/// <summary>How a server is monitored. Read when the pages are mapped; later changes have no effect.</summary>
public sealed class MonitoringOptions
{
    /// <summary>
    /// What the pages' paths begin with, such as <c>/broker</c>. Empty, the default: they are at the root. It is told in
    /// <c>/varz</c> as <c>http_base_path</c>.
    /// </summary>
    public string BasePath { get; set; } = "";

    /// <summary>
    /// Who may look, asked for each request; who may not is answered 401. Null, the default: everybody who can connect, as with
    /// nats-server. <c>/healthz</c> is for everybody in any case, since it says nothing but that the server is there.
    /// </summary>
    public Func<HttpContext, bool>? Authorize { get; set; }

    /// <summary>The certificate, with its private key, of <see cref="MonitoringHost"/>. Null, the default: plain HTTP.</summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>
    /// TLS of <see cref="MonitoringHost"/> in full, where more is to be said than the certificate. Used as it is, by every
    /// connection; then <see cref="Certificate"/> is not.
    /// </summary>
    public SslServerAuthenticationOptions? Tls { get; set; }

    /// <summary>The server's address for WebSockets, which <c>/varz</c> describes. Null, the default: there is none, or it is not told.</summary>
    public NatsWebSocketHost? WebSockets { get; set; }

    /// <summary>Pages of other parts of the program, listed on the index page. None by default.</summary>
    public IReadOnlyList<MonitoringPage> Pages { get; set; } = [];

    /// <summary>How many connections <see cref="MonitoringHost"/> serves at a time. Default 128.</summary>
    public int MaxConnections { get; set; } = 128;

    /// <summary>Where the pages are, for <c>/varz</c>; the host sets it.</summary>
    internal EndPoint? EndPoint { get; set; }

    internal bool IsSecure => Tls is not null || Certificate is not null;

    internal SslServerAuthenticationOptions? Authentication()
        => Tls ?? (Certificate is null ? null : new SslServerAuthenticationOptions { ServerCertificate = Certificate });

    internal MonitoringOptions Copy() => (MonitoringOptions)MemberwiseClone();
}
