using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Transport;

/// <summary>The TLS options of a client, for <see cref="ClientTlsContext"/>.</summary>
/// <remarks>
/// Immutable. The files are read when the context is created. <see cref="ClientTlsContext.ReadFiles"/> reads them
/// again, as a client does for each connect.
/// </remarks>
public sealed record ClientTlsOptions
{
    /// <summary>
    /// Whether a server that does not offer TLS is refused. Default: true. If false, TLS is used only if the server or
    /// its address requires TLS. An attacker between client and server can then hide the requirement of the server.
    /// </summary>
    public bool Required { get; init; } = true;

    /// <summary>
    /// The certificate authorities that may have signed the server's certificate. If this property and
    /// <see cref="AuthorityFile"/> are null, the authorities that the system trusts are used.
    /// </summary>
    public X509Certificate2Collection? Authorities { get; init; }

    /// <summary>The PEM file with the certificate authorities, in place of <see cref="Authorities"/>.</summary>
    public string? AuthorityFile { get; init; }

    /// <summary>The client's certificate with its private key, for servers that require a client certificate.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>
    /// The PEM file with the client's certificate, followed by intermediate certificates, in place of
    /// <see cref="Certificate"/>. A file whose name ends in <c>.pfx</c> or <c>.p12</c> is a PKCS#12 bundle, which
    /// contains the private key too.
    /// </summary>
    public string? CertificateFile { get; init; }

    /// <summary>
    /// The PEM file with the private key. If null, <see cref="CertificateFile"/> contains the key.
    /// </summary>
    public string? KeyFile { get; init; }

    /// <summary>
    /// The password of an encrypted private key or of a PKCS#12 bundle. Null if there is none. <see cref="ToString"/>
    /// does not contain it.
    /// </summary>
    public string? KeyPassword { get; init; }

    /// <summary>
    /// The name that the server's certificate must have. Null, the default, means the host of the address. If another
    /// server has listed the address and it is an IP address, null means the host of that other server's address. With
    /// WebSocket (<c>wss</c>), this is also the host of the HTTP request.
    /// </summary>
    public string? TargetHost { get; init; }

    /// <summary>
    /// Whether the TLS handshake comes before INFO, for servers that are configured for this order. Default: false, so
    /// the handshake comes after INFO.
    /// </summary>
    public bool HandshakeFirst { get; init; }

    /// <summary>
    /// The lowest TLS version: <see cref="SslProtocols.Tls12"/>, the default, or <see cref="SslProtocols.Tls13"/>.
    /// </summary>
    public SslProtocols MinVersion { get; init; } = SslProtocols.Tls12;

    /// <summary>
    /// Decides whether the server's certificate is accepted. It replaces the usual rules. Called on a thread-pool
    /// thread.
    /// </summary>
    public RemoteCertificateValidationCallback? RemoteCertificateValidation { get; init; }

    /// <summary>Changes any other setting of the handshake. Called for each handshake, on the event loop.</summary>
    public Action<SslClientAuthenticationOptions>? Configure { get; init; }

    /// <summary>Returns the files and the host name, without the password.</summary>
    public override string ToString()
        => $"{nameof(ClientTlsOptions)} {{ {nameof(AuthorityFile)} = {AuthorityFile}, {nameof(CertificateFile)} = {CertificateFile}, {nameof(KeyFile)} = {KeyFile}, {nameof(TargetHost)} = {TargetHost} }}";
}
