using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Client.Tests.Support;

/// <summary>A certificate authority for the length of a test run, and what it signs, also as files.</summary>
internal sealed class TestCertificates
{
    private static readonly DateTimeOffset Begin = DateTimeOffset.UtcNow.AddDays(-2);

    private readonly string _folder = Directory.CreateTempSubdirectory("client-certificates").FullName;

    internal TestCertificates()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN=Test CA {Guid.NewGuid():N}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, true));
        Authority = request.CreateSelfSigned(Begin, Begin.AddDays(30));
        Server = Sign("localhost", "1.3.6.1.5.5.7.3.1");
        Client = Sign("client", "1.3.6.1.5.5.7.3.2");
        Write("authority", Authority);
        Write("server", Server);
        Write("client", Client);
    }

    /// <summary>What tests share that need nothing special: a key costs time to make.</summary>
    internal static TestCertificates Common { get; } = new();

    internal X509Certificate2 Authority { get; }

    internal X509Certificate2 Server { get; }

    internal X509Certificate2 Client { get; }

    /// <summary>For the configuration of a nats-server.</summary>
    internal string ServerBlock => $"cert_file: \"{File("server.pem")}\"\nkey_file: \"{File("server.key")}\"\nca_file: \"{File("authority.pem")}\"\n";

    internal string File(string name) => Path.Combine(_folder, name);

    private X509Certificate2 Sign(string name, string usage)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(name);
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(usage)], false));
        using X509Certificate2 signed = request.Create(Authority, Begin, Begin.AddDays(20), RandomNumberGenerator.GetBytes(8));
        return signed.CopyWithPrivateKey(key);
    }

    private void Write(string name, X509Certificate2 certificate)
    {
        System.IO.File.WriteAllText(File(name + ".pem"), certificate.ExportCertificatePem());
        if (certificate.GetECDsaPrivateKey() is { } key)
        {
            System.IO.File.WriteAllText(File(name + ".key"), key.ExportPkcs8PrivateKeyPem());
        }
    }
}
