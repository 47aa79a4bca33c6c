using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Client.Tls;

/// <summary>How a <see cref="BrokerConnection"/> speaks TLS with its servers.</summary>
/// <remarks>
/// Immutable. Files are read once, when the connection is made. The list of other servers that a server tells is taken only
/// from what it says over TLS: that of an INFO in clear is nobody's word.
/// </remarks>
public sealed record ClientTlsOptions
{
    /// <summary>
    /// Whether a server that does not offer TLS is refused. Default true; an address of the scheme <c>tls</c> is refused in any case. When false
    /// TLS is spoken where the server requires it, which somebody between can hide.
    /// </summary>
    public bool Required { get; init; } = true;

    /// <summary>Who must have signed the server's certificate. With neither this nor the file: those that the system trusts.</summary>
    public X509Certificate2Collection? Authorities { get; init; }

    /// <summary>The same as a PEM file of certificates.</summary>
    public string? AuthorityFile { get; init; }

    /// <summary>The client's certificate with its private key, for servers that ask for one.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>The same as a PEM file, with intermediate certificates after it.</summary>
    public string? CertificateFile { get; init; }

    /// <summary>The PEM file with the private key, not encrypted. Null: it is in <see cref="CertificateFile"/> too.</summary>
    public string? KeyFile { get; init; }

    /// <summary>
    /// The name that the server's certificate must have. Null, the default: the host of the address, or for an IP address that another server
    /// named, the host of that server. By WebSocket (<c>wss</c>) it is the host that the request names, too.
    /// </summary>
    public string? TargetHost { get; init; }

    /// <summary>Whether the handshake comes before INFO, for servers that are set up so. Default: after it.</summary>
    public bool HandshakeFirst { get; init; }

    /// <summary>The oldest version: <see cref="SslProtocols.Tls12"/>, the default, or <see cref="SslProtocols.Tls13"/>.</summary>
    public SslProtocols MinVersion { get; init; } = SslProtocols.Tls12;

    /// <summary>Decides about the server's certificate, in place of the rules. Called on the thread pool.</summary>
    public RemoteCertificateValidationCallback? RemoteCertificateValidation { get; init; }

    /// <summary>Changes whatever else there is to change, for each handshake; on the event loop.</summary>
    public Action<SslClientAuthenticationOptions>? Configure { get; init; }
}
