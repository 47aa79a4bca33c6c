using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server.Tests.Harness;

/// <summary>A certificate authority for the length of a test run, and what it signs.</summary>
internal sealed class TestCertificates : IDisposable
{
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";
    private const string ClientAuthentication = "1.3.6.1.5.5.7.3.2";

    private static readonly DateTimeOffset Begin = DateTimeOffset.UtcNow.AddDays(-2);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("certificates-");

    internal TestCertificates()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN=Test CA {Guid.NewGuid():N}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, true));
        Authority = request.CreateSelfSigned(Begin, Begin.AddDays(30));
        AuthorityFile = Write("authority.pem", Authority.ExportCertificatePem());
        Server = SignServer("localhost");
        CertificateFile = Write("server.pem", Server.ExportCertificatePem());
        KeyFile = Write("server.key", Server.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        Client = SignClient("CN=client");
    }

    /// <summary>What tests share that need nothing special: a key costs time to make.</summary>
    internal static TestCertificates Common { get; } = new();

    internal X509Certificate2 Authority { get; }

    internal X509Certificate2 Server { get; }

    internal X509Certificate2 Client { get; }

    internal string AuthorityFile { get; }

    internal string CertificateFile { get; }

    internal string KeyFile { get; }

    /// <summary>Where files of a test may be.</summary>
    internal string Write(string name, string text)
    {
        string file = Path.Combine(_folder.FullName, name);
        File.WriteAllText(file, text);
        return file;
    }

    internal X509Certificate2 SignServer(string name, int days = 20) => Sign($"CN={name}", ServerAuthentication, days, names =>
    {
        names.AddDnsName(name);
        names.AddIpAddress(IPAddress.Loopback);
    });

    internal X509Certificate2 SignClient(string subject, Action<SubjectAlternativeNameBuilder>? names = null)
        => Sign(subject, ClientAuthentication, 20, names);

    internal X509Certificate2 SignWithUsage(string subject, bool asServer) => Sign(subject, asServer ? ServerAuthentication : ClientAuthentication, 20, null);

    public void Dispose() => _folder.Delete(recursive: true);

    private X509Certificate2 Sign(string subject, string usage, int days, Action<SubjectAlternativeNameBuilder>? names)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(new X500DistinguishedName(subject), key, HashAlgorithmName.SHA256);
        if (names is not null)
        {
            var builder = new SubjectAlternativeNameBuilder();
            names(builder);
            request.CertificateExtensions.Add(builder.Build());
        }

        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(usage)], false));
        using X509Certificate2 signed = request.Create(Authority, Begin, Begin.AddDays(days), RandomNumberGenerator.GetBytes(8));
        return signed.CopyWithPrivateKey(key);
    }
}
