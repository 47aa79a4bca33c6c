using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server.Tls;

/// <summary>
/// How TLS is spoken with clients that come by sockets; clients of this process have none, and WebSockets have that of their
/// host. The certificate is given in exactly one of the three forms.
/// </summary>
/// <remarks>Immutable; one object may serve any number of servers. Certificates stay the caller's, and in use until the server has ended.</remarks>
public sealed record ServerTlsOptions
{
    /// <summary>The server's certificate with its private key.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>The server's certificate with the intermediate ones to send.</summary>
    public SslStreamCertificateContext? CertificateContext { get; init; }

    /// <summary>
    /// A PEM file (RFC 7468) with the server's certificate, followed by the intermediate ones if there are any. Read when the
    /// server starts and at each <see cref="BrokerServer.ReloadAsync"/>.
    /// </summary>
    public string? CertificateFile { get; init; }

    /// <summary>The PEM file with the private key, not encrypted. Null: it is in <see cref="CertificateFile"/> too.</summary>
    public string? KeyFile { get; init; }

    /// <summary>Whether clients must show certificates. Default: they are not asked.</summary>
    public ClientCertificateMode ClientCertificates { get; init; }

    /// <summary>Who must have signed the clients' certificates. With neither this nor the file: those that the system trusts.</summary>
    public X509Certificate2Collection? ClientAuthorities { get; init; }

    /// <summary>The same as a PEM file of certificates.</summary>
    public string? ClientAuthorityFile { get; init; }

    /// <summary>
    /// Whether a client is the user that its certificate names, whatever its CONNECT says (<c>verify_and_map</c> of nats-server):
    /// by the first alternative name of the certificate that is a user's (e-mail addresses, then DNS names, then URIs), or by its subject, in any order
    /// and with or without the domain components. Needs <see cref="ClientCertificateMode.Required"/>, and means something where there are
    /// <see cref="BrokerServerOptions.Users"/>. Clients of this process show passwords as ever, and so do those of
    /// WebSockets without <see cref="BrokerServerOptions.MapWebSocketUsers"/>.
    /// </summary>
    public bool MapUsers { get; init; }

    /// <summary>Whether the handshake comes before INFO, for clients that know it does. Default: after it.</summary>
    public bool HandshakeFirst { get; init; }

    /// <summary>
    /// With <see cref="HandshakeFirst"/>: after how long a client that has said nothing is sent INFO in clear all the same. Zero,
    /// the default: never.
    /// </summary>
    public TimeSpan HandshakeFirstFallback { get; init; }

    /// <summary>
    /// Whether clients may also stay in clear: who does not begin a handshake within <see cref="Timeout"/>, or sends something else
    /// first. Default false.
    /// </summary>
    public bool AllowNonTls { get; init; }

    /// <summary>How long the handshake may take. Default 2 s.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>The oldest version: <see cref="SslProtocols.Tls12"/>, the default, or <see cref="SslProtocols.Tls13"/>.</summary>
    public SslProtocols MinVersion { get; init; } = SslProtocols.Tls12;

    /// <summary>
    /// Which cipher suites may be used. Empty, the default: the system's choice. When none of them is of TLS 1.3, those of TLS 1.3
    /// stay. Windows knows its own setting only.
    /// </summary>
    public IReadOnlyList<TlsCipherSuite> CipherSuites { get; init; } = [];

    /// <summary>Changes whatever else there is to change, once for each start and reload; called last.</summary>
    public Action<SslServerAuthenticationOptions>? Configure { get; init; }

    /// <summary>Checks the options and loads what they name, as the start of a server does.</summary>
    /// <exception cref="ArgumentException">They contradict each other, or a file cannot be used.</exception>
    public void Validate() => _ = new ServerTls(this);

    /// <summary>What <see cref="SslStream"/> needs, for a listener of another kind that shares the certificate. Files are read at each call.</summary>
    /// <exception cref="ArgumentException">The options contradict each other, or a file cannot be used.</exception>
    public SslServerAuthenticationOptions CreateAuthentication() => new ServerTls(this).Authentication;
}
