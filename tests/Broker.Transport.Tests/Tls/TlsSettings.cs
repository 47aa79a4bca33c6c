using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Transport.Tests.Tls;

/// <summary>The TLS options of both ends that most tests need.</summary>
internal static class TlsSettings
{
    internal static SslServerAuthenticationOptions Server(
        X509Certificate2? certificate = null, SslProtocols protocols = SslProtocols.None, X509Certificate2? clientAuthority = null)
        => new()
        {
            ServerCertificateContext = SslStreamCertificateContext.Create(certificate ?? TestCertificates.Common.Server, null, offline: true),
            EnabledSslProtocols = protocols,
            ClientCertificateRequired = clientAuthority is not null,
            CertificateChainPolicy = clientAuthority is null ? null : Policy(clientAuthority),
        };

    internal static SslClientAuthenticationOptions Client(
        X509Certificate2? authority = null,
        SslProtocols protocols = SslProtocols.None,
        X509Certificate2? certificate = null,
        string targetHost = "localhost")
        => new()
        {
            TargetHost = targetHost,
            EnabledSslProtocols = protocols,
            CertificateChainPolicy = Policy(authority ?? TestCertificates.Common.Authority),
            ClientCertificates = certificate is null ? null : [certificate],
        };

    private static X509ChainPolicy Policy(X509Certificate2 authority) => new()
    {
        TrustMode = X509ChainTrustMode.CustomRootTrust,
        CustomTrustStore = { authority },
        RevocationMode = X509RevocationMode.NoCheck,
        DisableCertificateDownloads = true,
    };
}
