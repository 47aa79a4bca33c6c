using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Interop.Tests.Harness;

/// <summary>Certificates made for a test run, as PEM files in a folder that is deleted with them.</summary>
public sealed class TestCertificates : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("certificates-");

    public TestCertificates()
    {
        using var authority = CreateAuthority("Test authority");
        using var stranger = CreateAuthority("Another authority");
        File.WriteAllText(PathOf("ca.pem"), authority.ExportCertificatePem());
        File.WriteAllText(PathOf("other-ca.pem"), stranger.ExportCertificatePem());

        var addresses = new SubjectAlternativeNameBuilder();
        addresses.AddIpAddress(IPAddress.Loopback);
        addresses.AddDnsName("localhost");
        Issue(authority, "server", "CN=server", addresses);

        var ada = new SubjectAlternativeNameBuilder();
        ada.AddEmailAddress("ada@example.org");
        Issue(authority, "ada", "CN=Ada", ada);
        Issue(authority, "bob", "CN=bob", alternatives: null);
        Issue(stranger, "mallory", "CN=bob", alternatives: null);
    }

    /// <summary>The keys of a <c>tls</c> block for the server's certificate.</summary>
    public string ServerKeys =>
        $"cert_file: \"{PathOf("server.pem")}\", key_file: \"{PathOf("server.key")}\", ca_file: \"{PathOf("ca.pem")}\"";

    /// <summary>The option of a session that trusts the authority of the server's certificate.</summary>
    public string Trust => "ca=" + PathOf("ca.pem");

    /// <summary>The option of a session that trusts only an authority the server has nothing to do with.</summary>
    public string WrongTrust => "ca=" + PathOf("other-ca.pem");

    /// <summary>
    /// The options of a session that shows a client certificate: of <c>ada</c>, who has the mail address ada@example.org;
    /// of <c>bob</c>, who has only a name; or of <c>mallory</c>, who has bob's name from another authority.
    /// </summary>
    public string[] Client(string name) => [Trust, "cert=" + PathOf(name + ".pem"), "key=" + PathOf(name + ".key")];

    public string PathOf(string file) => Path.Combine(_directory.FullName, file);

    public void Dispose() => _directory.Delete(recursive: true);

    private static X509Certificate2 CreateAuthority(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
    }

    private void Issue(X509Certificate2 authority, string name, string subject, SubjectAlternativeNameBuilder? alternatives)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(subject, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        // Server and client authentication (RFC 5280, 4.2.1.12).
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new("1.3.6.1.5.5.7.3.1"), new("1.3.6.1.5.5.7.3.2")], critical: false));
        if (alternatives is not null)
            request.CertificateExtensions.Add(alternatives.Build());
        using var certificate = request.Create(
            authority, authority.NotBefore, authority.NotAfter, RandomNumberGenerator.GetBytes(8));
        File.WriteAllText(PathOf(name + ".pem"), certificate.ExportCertificatePem());
        File.WriteAllText(PathOf(name + ".key"), key.ExportPkcs8PrivateKeyPem());
    }
}
