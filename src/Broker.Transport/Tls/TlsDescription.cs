using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Transport.Tls;

/// <summary>What a handshake of TLS agreed on.</summary>
/// <param name="Protocol">The version.</param>
/// <param name="CipherSuite">The suite, by its number in the registry of IANA.</param>
/// <param name="RemoteCertificate">What the peer showed and the validation accepted; null when it showed none. Not disposed with the connection.</param>
/// <param name="TargetHost">The server's name as the client asked for it (SNI, RFC 6066); empty when it did not.</param>
/// <param name="ApplicationProtocol">What ALPN (RFC 7301) chose; empty when nothing.</param>
/// <param name="IsMutuallyAuthenticated">Whether both sides showed a certificate.</param>
public sealed record TlsDescription(
    SslProtocols Protocol,
    TlsCipherSuite CipherSuite,
    X509Certificate2? RemoteCertificate,
    string TargetHost,
    SslApplicationProtocol ApplicationProtocol,
    bool IsMutuallyAuthenticated)
{
    /// <summary>
    /// Whether a stream that starts with <paramref name="first"/> starts with a handshake of TLS (a record's content type
    /// of 22, RFC 8446 section 5.1): for ports that take both. No NATS operation and no ZMTP greeting does.
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
