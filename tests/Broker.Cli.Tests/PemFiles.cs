using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Cli.Tests;

/// <summary>A certificate that signs itself, as files.</summary>
internal static class PemFiles
{
    public static (string Certificate, string Key) Write(TemporaryFolder folder, string name = "server")
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var now = DateTimeOffset.UtcNow;
        using var certificate = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
        return (folder.Write($"{name}.pem", certificate.ExportCertificatePem()), folder.Write($"{name}.key", key.ExportPkcs8PrivateKeyPem()));
    }
}
