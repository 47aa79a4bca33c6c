using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.LoadTest.Driver;

/// <summary>
/// A self-signed certificate for this run, as PEM files for the servers. Disposing deletes the files.
/// </summary>
internal sealed class CertificateFiles : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("loadtest-tls-");
    private readonly string _thumbprint;

    public CertificateFiles()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        DateTimeOffset now = DateTimeOffset.UtcNow;
        using X509Certificate2 certificate = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(2));
        _thumbprint = certificate.Thumbprint;
        File.WriteAllText(CertificatePath, certificate.ExportCertificatePem());
        File.WriteAllText(KeyPath, key.ExportPkcs8PrivateKeyPem());
    }

    public string CertificatePath => Path.Combine(_folder.FullName, "cert.pem");

    public string KeyPath => Path.Combine(_folder.FullName, "key.pem");

    /// <summary>Whether a server has sent this certificate, which is the only one that the driver trusts.</summary>
    public bool Matches(X509Certificate? shown)
        => shown is not null && string.Equals(shown.GetCertHashString(), _thumbprint, StringComparison.OrdinalIgnoreCase);

    public void Dispose() => _folder.Delete(recursive: true);
}
