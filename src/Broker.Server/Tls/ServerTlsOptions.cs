using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>
/// The TLS options for clients that connect through sockets. In-process clients do not use TLS, and WebSocket clients
/// use the TLS of the web host. Set exactly one of <see cref="Certificate"/>, <see cref="CertificateContext"/> and
/// <see cref="CertificateFile"/>.
/// </summary>
/// <remarks>
/// Immutable; several servers may share one object. The caller owns the certificates and must not dispose them before
/// the server is disposed.
/// </remarks>
public sealed record ServerTlsOptions
{
    /// <summary>The server's certificate with its private key.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>The server's certificate with the intermediate certificates to send.</summary>
    public SslStreamCertificateContext? CertificateContext { get; init; }

    /// <summary>
    /// A PEM file (RFC 7468) with the server's certificate, followed by intermediate certificates if there are any. The
    /// server reads the file when it starts and at each <see cref="BrokerServer.ReloadAsync"/>, unless
    /// <see cref="Load"/> has read it.
    /// </summary>
    public string? CertificateFile { get; init; }

    /// <summary>
    /// The PEM file with the private key, not encrypted. Null: <see cref="CertificateFile"/> contains the key too.
    /// </summary>
    public string? KeyFile { get; init; }

    /// <summary>Whether the server requests or requires client certificates. Default: neither.</summary>
    public ClientCertificateMode ClientCertificates { get; init; }

    /// <summary>
    /// The authorities that may sign client certificates. If neither this property nor
    /// <see cref="ClientAuthorityFile"/> is set, the authorities that the system trusts may sign client certificates.
    /// </summary>
    public X509Certificate2Collection? ClientAuthorities { get; init; }

    /// <summary>A PEM file with the authorities that may sign client certificates.</summary>
    public string? ClientAuthorityFile { get; init; }

    /// <summary>
    /// The public keys of the only accepted client certificates: the SHA-256 hash of the DER form of each
    /// (SubjectPublicKeyInfo), as 64 hexadecimal digits. The certificates must still be signed by an authority. Empty,
    /// the default: every certificate that an authority has signed is accepted. Requires
    /// <see cref="ClientCertificateMode.Required"/>.
    /// </summary>
    public IReadOnlyList<string> PinnedPublicKeys { get; init; } = [];

    /// <summary>
    /// Whether the client certificate names the user (<c>verify_and_map</c> of nats-server). A user with a password
    /// must also send it. The server refuses a CONNECT that names another user. The user is the first one whose name is
    /// an alternative name of the certificate (e-mail addresses, then DNS names, then URIs), or otherwise the one whose
    /// name is the subject of the certificate. The parts of the subject may be in any order, with or without the domain
    /// components. Requires <see cref="ClientCertificateMode.Required"/> and has no effect without
    /// <see cref="BrokerServerOptions.Users"/>. In-process clients authenticate by other credentials, and so do
    /// WebSocket clients without <see cref="BrokerServerOptions.MapWebSocketUsers"/>. Default false.
    /// </summary>
    public bool MapUsers { get; init; }

    /// <summary>
    /// Whether the TLS handshake comes before INFO. The clients must be configured for this. Default: the handshake
    /// comes after INFO.
    /// </summary>
    public bool HandshakeFirst { get; init; }

    /// <summary>
    /// With <see cref="HandshakeFirst"/>: the time after which the server sends INFO without encryption to a client
    /// that has sent nothing. Zero, the default: never.
    /// </summary>
    public TimeSpan HandshakeFirstFallback { get; init; }

    /// <summary>
    /// Whether clients may also connect without TLS. A connection stays unencrypted if the client does not begin a
    /// handshake within <see cref="Timeout"/> or sends something else first. Default false.
    /// </summary>
    public bool AllowNonTls { get; init; }

    /// <summary>The timeout of the handshake; at most a day. Default 2 s.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The oldest accepted version: <see cref="SslProtocols.Tls12"/>, the default, or <see cref="SslProtocols.Tls13"/>.
    /// </summary>
    public SslProtocols MinVersion { get; init; } = SslProtocols.Tls12;

    /// <summary>
    /// The accepted cipher suites. Empty, the default: the choice of the system. If the list contains no suite of TLS
    /// 1.3, all suites of TLS 1.3 are accepted too. On Windows the list must be empty, because only the system settings
    /// count there.
    /// </summary>
    public IReadOnlyList<TlsCipherSuite> CipherSuites { get; init; } = [];

    /// <summary>
    /// A callback that changes further settings of TLS. The server calls it last, once for each start and each reload.
    /// </summary>
    public Action<SslServerAuthenticationOptions>? Configure { get; init; }

    /// <summary>The certificate that <see cref="Load"/> has read from <see cref="CertificateFile"/>, or null.</summary>
    public X509Certificate2? LoadedCertificate => Files?.Certificate?.Certificate;

    /// <summary>What the files contained, if <see cref="Load"/> has read them.</summary>
    internal ServerTlsFiles? Files { get; init; }

    /// <summary>
    /// Checks the options, reads the files that they name, and returns options that keep what was read. Servers and
    /// other users of these options do not read the files again, also not at a reload. If the options already keep the
    /// content of their files, the method reads nothing.
    /// </summary>
    /// <exception cref="ArgumentException">The options contradict each other, or a file cannot be used.</exception>
    public ServerTlsOptions Load()
    {
        ServerTlsOptions loaded = this with { Files = ServerTlsFiles.Of(this) };
        loaded.Validate();
        return loaded;
    }

    /// <summary>Checks the options and reads the files that they name, as the start of a server does.</summary>
    /// <exception cref="ArgumentException">The options contradict each other, or a file cannot be used.</exception>
    public void Validate() => _ = new ServerTls(this);

    /// <summary>
    /// Creates the options for <see cref="SslStream"/>, for another listener that uses the same certificate. The files
    /// are read at each call, unless <see cref="Load"/> has read them. The call may block for up to 100 ms.
    /// </summary>
    /// <exception cref="ArgumentException">The options contradict each other, or a file cannot be used.</exception>
    public SslServerAuthenticationOptions CreateAuthentication() => new ServerTls(this).Authentication();
}
