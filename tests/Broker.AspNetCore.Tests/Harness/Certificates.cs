using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>Certificates that sign themselves, made for one test.</summary>
internal static class Certificates
{
    internal static X509Certificate2 Create(string name = "localhost")
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(name);
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        DateTimeOffset now = DateTimeOffset.UtcNow;
        return request.CreateSelfSigned(now.AddMinutes(-5), now.AddDays(1));
    }

    /// <summary>Whether it is this very certificate that was shown.</summary>
    internal static bool IsSame(X509Certificate2 expected, X509Certificate? shown)
        => shown is not null && expected.RawDataMemory.Span.SequenceEqual(shown.GetRawCertData());
}
