using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Transport.Tests.Tls;

/// <summary>A certificate authority for the length of a test run, and what it signs.</summary>
internal sealed class Certificates
{
    private static readonly DateTimeOffset Begin = DateTimeOffset.UtcNow.AddDays(-2);

    internal Certificates(string name = "Test CA")
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name} {Guid.NewGuid():N}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, true));
        Authority = request.CreateSelfSigned(Begin, Begin.AddDays(30));
        Server = Sign("localhost", serverAuth: true, Begin.AddDays(20));
        Client = Sign("client", serverAuth: false, Begin.AddDays(20));
    }

    /// <summary>What tests share that need nothing special: a key costs time to make.</summary>
    internal static Certificates Common { get; } = new();

    internal X509Certificate2 Authority { get; }

    internal X509Certificate2 Server { get; }

    internal X509Certificate2 Client { get; }

    internal X509Certificate2 SignExpired() => Sign("localhost", serverAuth: true, Begin.AddDays(1));

    internal static X509Certificate2 SelfSigned()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return Request("localhost", key, serverAuth: true).CreateSelfSigned(Begin, Begin.AddDays(20));
    }

    private X509Certificate2 Sign(string name, bool serverAuth, DateTimeOffset end)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 signed = Request(name, key, serverAuth).Create(
            Authority, Begin, end, RandomNumberGenerator.GetBytes(8));
        return signed.CopyWithPrivateKey(key);
    }

    private static CertificateRequest Request(string name, ECDsa key, bool serverAuth)
    {
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(name);
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension(
            [new Oid(serverAuth ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2")], false));
        return request;
    }
}
