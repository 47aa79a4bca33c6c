using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Transport;

/// <summary>The result of a TLS handshake.</summary>
/// <param name="Protocol">The version of TLS.</param>
/// <param name="CipherSuite">The cipher suite, by its number in the IANA registry.</param>
/// <param name="RemoteCertificate">
/// The peer's certificate, which the validation accepted; null if the peer sent no certificate. It is not disposed with
/// the connection.
/// </param>
/// <param name="TargetHost">
/// The server name that the client asked for (SNI, RFC 6066); empty if the client asked for no name.
/// </param>
/// <param name="ApplicationProtocol">The protocol that ALPN (RFC 7301) chose; empty if ALPN chose no protocol.</param>
/// <param name="IsMutuallyAuthenticated">Whether both sides sent a certificate.</param>
public sealed record TlsDescription(
    SslProtocols Protocol,
    TlsCipherSuite CipherSuite,
    X509Certificate2? RemoteCertificate,
    string TargetHost,
    SslApplicationProtocol ApplicationProtocol,
    bool IsMutuallyAuthenticated)
{
    /// <summary>
    /// Whether a stream whose first byte is <paramref name="first"/> starts with a TLS handshake (the content type 22
    /// of a record, RFC 8446 section 5.1). This is for ports that accept both TLS and plain connections. No NATS
    /// operation and no ZMTP greeting starts with this byte.
    /// </summary>
    public static bool StartsHandshake(byte first) => first == 22;

    internal static TlsDescription From(SslStream ssl)
    {
        X509Certificate? remote = ssl.RemoteCertificate;
        return new TlsDescription(
            ssl.SslProtocol,
            ssl.NegotiatedCipherSuite,
            remote as X509Certificate2 ?? (remote is null ? null : new X509Certificate2(remote)),
            ssl.TargetHostName,
            ssl.NegotiatedApplicationProtocol,
            ssl.IsMutuallyAuthenticated);
    }
}
