using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.TestKit.Security;

/// <summary>
/// A certificate authority for a test run and the certificates that it signs, also as PEM files. All certificates are
/// valid now unless a name states otherwise.
/// </summary>
public sealed class TestCertificates : IDisposable
{
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";
    private const string ClientAuthentication = "1.3.6.1.5.5.7.3.2";

    private static readonly DateTimeOffset Begin = DateTimeOffset.UtcNow.AddDays(-2);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("certificates-");

    public TestCertificates()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        // Each authority has its own name, because libraries distinguish authorities by name.
        var request = new CertificateRequest($"CN=Test CA {Guid.NewGuid():N}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, true));
        Authority = request.CreateSelfSigned(Begin, Begin.AddDays(30));
        Server = SignServer();
        Client = SignClient("CN=client");
        AuthorityFile = Write("authority.pem", Authority.ExportCertificatePem());
        (CertificateFile, KeyFile) = Write("server", Server);
        (ClientCertificateFile, ClientKeyFile) = Write("client", Client);
    }

    /// <summary>Certificates that several tests share, because creating keys takes time.</summary>
    public static TestCertificates Common { get; } = new();

    public X509Certificate2 Authority { get; }

    /// <summary>The certificate of a server at <c>localhost</c> and at the loopback address.</summary>
    public X509Certificate2 Server { get; }

    public X509Certificate2 Client { get; }

    public string AuthorityFile { get; }

    /// <summary>The path of the PEM file of <see cref="Server"/>.</summary>
    public string CertificateFile { get; }

    /// <summary>The path of the key file of <see cref="Server"/>.</summary>
    public string KeyFile { get; }

    public string ClientCertificateFile { get; }

    public string ClientKeyFile { get; }

    /// <summary>Lines of a <c>tls</c> block of nats-server's configuration, for <see cref="Server"/>.</summary>
    public string ServerKeys => $"cert_file: \"{CertificateFile}\"\nkey_file: \"{KeyFile}\"\nca_file: \"{AuthorityFile}\"\n";

    /// <summary>
    /// The same lines with a longer handshake timeout, because nats-server's default of two seconds is too short for a
    /// busy machine.
    /// </summary>
    public string PatientServerKeys => ServerKeys + "timeout: 60\n";

    /// <summary>Writes <c>NAME.pem</c> and <c>NAME.key</c> of a self-signed certificate into a folder.</summary>
    public static (string Certificate, string Key) WriteSelfSigned(string folder, string name = "server")
    {
        using X509Certificate2 certificate = SelfSigned();
        return Write(folder, name, certificate);
    }

    /// <summary>Creates a self-signed server certificate.</summary>
    public static X509Certificate2 SelfSigned(string name = "localhost")
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return Request($"CN={name}", key, [ServerAuthentication], NamesOfServer(name)).CreateSelfSigned(Begin, Begin.AddDays(20));
    }

    /// <summary>Whether two certificates are the same one.</summary>
    public static bool IsSame(X509Certificate2 expected, X509Certificate? shown)
        => shown is not null && expected.RawDataMemory.Span.SequenceEqual(shown.GetRawCertData());

    /// <summary>
    /// Creates a server certificate that is valid for this number of days from the day before yesterday on. With 1 it
    /// has expired.
    /// </summary>
    public X509Certificate2 SignServer(string name = "localhost", int days = 20) => Sign($"CN={name}", [ServerAuthentication], days, NamesOfServer(name));

    public X509Certificate2 SignClient(string subject, Action<SubjectAlternativeNameBuilder>? names = null)
        => Sign(subject, [ClientAuthentication], 20, names);

    /// <summary>Creates a certificate with the key usage of one side only.</summary>
    public X509Certificate2 SignWithUsage(string subject, bool asServer)
        => Sign(subject, [asServer ? ServerAuthentication : ClientAuthentication], 20, null);

    /// <summary>Creates a certificate for clients and servers.</summary>
    public X509Certificate2 SignForBoth(string subject, Action<SubjectAlternativeNameBuilder>? names = null)
        => Sign(subject, [ServerAuthentication, ClientAuthentication], 20, names);

    /// <summary>The alternative names of a server certificate on this machine.</summary>
    public static void AddLoopback(SubjectAlternativeNameBuilder names)
    {
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
    }

    /// <summary>Writes a file that is deleted together with these certificates.</summary>
    public string Write(string name, string text)
    {
        string file = Path.Combine(_folder.FullName, name);
        File.WriteAllText(file, text);
        return file;
    }

    /// <summary>Writes <c>NAME.pem</c> and <c>NAME.key</c>.</summary>
    public (string Certificate, string Key) Write(string name, X509Certificate2 certificate) => Write(_folder.FullName, name, certificate);

    public void Dispose() => _folder.Delete(recursive: true);

    private static (string Certificate, string Key) Write(string folder, string name, X509Certificate2 certificate)
    {
        (string Certificate, string Key) files = (Path.Combine(folder, name + ".pem"), Path.Combine(folder, name + ".key"));
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        File.WriteAllText(files.Certificate, certificate.ExportCertificatePem());
        File.WriteAllText(files.Key, key.ExportPkcs8PrivateKeyPem());
        return files;
    }

    private static Action<SubjectAlternativeNameBuilder> NamesOfServer(string name) => names =>
    {
        names.AddDnsName(name);
        names.AddIpAddress(IPAddress.Loopback);
    };

    private static CertificateRequest Request(string subject, ECDsa key, string[] usages, Action<SubjectAlternativeNameBuilder>? names)
    {
        var request = new CertificateRequest(new X500DistinguishedName(subject), key, HashAlgorithmName.SHA256);
        if (names is not null)
        {
            var builder = new SubjectAlternativeNameBuilder();
            names(builder);
            request.CertificateExtensions.Add(builder.Build());
        }

        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([.. usages.Select(u => new Oid(u))], false));
        return request;
    }

    private X509Certificate2 Sign(string subject, string[] usages, int days, Action<SubjectAlternativeNameBuilder>? names)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 signed = Request(subject, key, usages, names).Create(
            Authority, Begin, Begin.AddDays(days), RandomNumberGenerator.GetBytes(8));
        return signed.CopyWithPrivateKey(key);
    }
}
