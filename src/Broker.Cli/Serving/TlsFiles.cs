using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Cli.Serving;

/// <summary>Where a listener's certificates are, as PEM files. Paths are relative to the working directory, as in nats-server.</summary>
/// <param name="CertFile">The certificate, and after it those between it and its root.</param>
/// <param name="KeyFile">Its private key, in clear.</param>
/// <param name="CaFile">The roots of clients' certificates, or null for those that the system trusts.</param>
/// <param name="Verify">Whether clients must have a certificate.</param>
internal sealed record TlsFiles(string CertFile, string KeyFile, string? CaFile, bool Verify)
{
    /// <summary>Reads the files, for as long as the listener is there. A reload needs another call.</summary>
    /// <exception cref="TlsFileException">A file cannot be used; the message names it.</exception>
    public SslServerAuthenticationOptions Load() => new()
    {
        ServerCertificateContext = SslStreamCertificateContext.Create(Certificate(), [.. Certificates(CertFile).Skip(1)], offline: true),
        ClientCertificateRequired = Verify,
        CertificateChainPolicy = Verify ? Trust() : null,
        AllowRenegotiation = false,
    };

    private X509Certificate2 Certificate() => Read($"{CertFile} and {KeyFile}", () =>
    {
        var certificate = X509Certificate2.CreateFromPemFile(CertFile, KeyFile);
        if (!OperatingSystem.IsWindows())
            return certificate;
        // Windows cannot serve with a key that is in memory only.
        using (certificate)
            return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null);
    });

    private X509ChainPolicy Trust()
    {
        // Nothing is fetched for whoever connects, and no lists of revoked certificates are known, as in nats-server.
        var policy = new X509ChainPolicy { RevocationMode = X509RevocationMode.NoCheck, DisableCertificateDownloads = true };
        if (CaFile is not null)
        {
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(Certificates(CaFile));
        }

        return policy;
    }

    private static X509Certificate2Collection Certificates(string file) => Read(file, () =>
    {
        var found = new X509Certificate2Collection();
        found.ImportFromPemFile(file);
        return found.Count > 0 ? found : throw new CryptographicException("there is no certificate in it");
    });

    private static T Read<T>(string files, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            var reason = e is FileNotFoundException { FileName: { } missing } ? $"there is no {missing}" : e.Message;
            throw new TlsFileException($"cannot use {files}: {reason}", e);
        }
    }
}
