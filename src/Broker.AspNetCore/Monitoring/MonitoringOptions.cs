using System.Net;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.AspNetCore;

/// <summary>
/// Options of the monitoring pages. They are read when the pages are mapped; later changes have no effect.
/// </summary>
public sealed class MonitoringOptions
{
    /// <summary>
    /// The prefix of the pages' paths, such as <c>/broker</c>; empty for pages at the root. Null, the default, means
    /// <c>/broker</c> in a web application, and the root in a <see cref="MonitoringHost"/>. <c>/varz</c> shows the
    /// prefix as <c>http_base_path</c>.
    /// </summary>
    public string? BasePath { get; set; }

    /// <summary>The default of <see cref="BasePath"/> in a web application.</summary>
    internal const string ApplicationBasePath = "/broker";

    /// <summary>
    /// Decides for each request whether it is allowed; a refused request gets 401. Null, the default, allows every
    /// request, as nats-server does. <c>/healthz</c> is always allowed, because it shows only that the server runs.
    /// </summary>
    public Func<HttpContext, bool>? Authorize { get; set; }

    /// <summary>
    /// The certificate of <see cref="MonitoringHost"/>, with its private key. Null, the default, means plain HTTP.
    /// </summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>
    /// All TLS options of <see cref="MonitoringHost"/>, for a program that needs more than a certificate. If this
    /// property is set, every connection uses this object unchanged, and <see cref="Certificate"/> is ignored.
    /// </summary>
    public SslServerAuthenticationOptions? Tls { get; set; }

    /// <summary>
    /// The host for WebSocket clients that <c>/varz</c> shows. Null, the default, means that <c>/varz</c> shows no
    /// WebSocket address.
    /// </summary>
    public NatsWebSocketHost? WebSockets { get; set; }

    /// <summary>
    /// The last lines of the program's log, for the live page and <c>/logz</c>. Null, the default, means that the pages
    /// show no log.
    /// </summary>
    public RecentLog? Log { get; set; }

    /// <summary>
    /// The administrator, who may change the server from the live page. Null, the default: the pages only show the server,
    /// and there is no address for changes. A web application also needs
    /// <see cref="AdministratorServices.AddBrokerAdministrator"/>.
    /// </summary>
    public AdministratorOptions? Administrator { get; set; }

    /// <summary>Additional pages of other parts of the program. The index page lists them. Default: none.</summary>
    public IReadOnlyList<MonitoringPage> Pages { get; set; } = [];

    /// <summary>
    /// The maximum number of concurrent connections of <see cref="MonitoringHost"/>. Default: 128. When it is reached,
    /// the connection that has been idle longest is closed for a new one. While requests run on all connections, a few
    /// additional connections can read only <c>/healthz</c>. A connection is closed after 30 seconds without a request,
    /// or after 5 seconds with an incomplete request. <c>/varz</c> shows the value as <c>http_max_connections</c>.
    /// </summary>
    public int MaxConnections { get; set; } = DefaultMaxConnections;

    /// <summary>The default of <see cref="MaxConnections"/>.</summary>
    internal const int DefaultMaxConnections = 128;

    /// <summary>The address of the pages, for <c>/varz</c>. <see cref="MonitoringHost"/> sets it.</summary>
    internal EndPoint? EndPoint { get; set; }

    /// <summary>
    /// Whether other machines can reach the pages and nobody asks who they are. The host knows its address. A web
    /// application has its own rules.
    /// </summary>
    internal bool IsOpenToOthers => Authorize is null && EndPoint is IPEndPoint ip && !IPAddress.IsLoopback(ip.Address);

    internal bool IsSecure => Tls is not null || Certificate is not null;

    internal SslServerAuthenticationOptions? Authentication()
        => Tls ?? (Certificate is null ? null : new SslServerAuthenticationOptions { ServerCertificate = Certificate });

    /// <summary>
    /// Copies the options. If <see cref="BasePath"/> is null, the copy gets <paramref name="basePath"/>.
    /// </summary>
    internal MonitoringOptions CopyFor(string basePath)
    {
        var copy = (MonitoringOptions)MemberwiseClone();
        copy.BasePath ??= basePath;
        return copy;
    }
}
