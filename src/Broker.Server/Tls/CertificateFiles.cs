using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server.Tls;

/// <summary>Reads PEM files. No message shows more of them than their path.</summary>
internal static class CertificateFiles
{
    /// <summary>The first certificate with its key, and those that follow it.</summary>
    /// <exception cref="ArgumentException">They cannot be read, are none, or do not belong together.</exception>
    internal static (X509Certificate2 Certificate, X509Certificate2Collection Others) ReadIdentity(string certificateFile, string? keyFile)
    {
        X509Certificate2Collection all = ReadAll(certificateFile);
        string key = keyFile ?? certificateFile;
        try
        {
            X509Certificate2 certificate = X509Certificate2.CreateFromPemFile(certificateFile, key);
            all[0].Dispose();
            all.RemoveAt(0);
            return (Usable(certificate), all);
        }
        catch (Exception e) when (IsExpected(e))
        {
            throw new ArgumentException(
                $"The file '{key}' has no private key, in clear as PEM, for the certificate in '{certificateFile}': {e.Message}", e);
        }
    }

    /// <exception cref="ArgumentException">There is none in it.</exception>
    internal static X509Certificate2Collection ReadAll(string file)
    {
        var all = new X509Certificate2Collection();
        try
        {
            all.ImportFromPemFile(file);
        }
        catch (Exception e) when (IsExpected(e))
        {
            throw new ArgumentException($"The certificate file '{file}' cannot be read: {e.Message}", e);
        }

        return all.Count != 0 ? all : throw new ArgumentException($"The file '{file}' has no certificate as PEM.");
    }

    // Schannel takes no key that is in memory only.
    private static X509Certificate2 Usable(X509Certificate2 certificate)
    {
        if (!OperatingSystem.IsWindows())
        {
            return certificate;
        }

        using (certificate)
        {
            return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null);
        }
    }

    private static bool IsExpected(Exception e)
        => e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException or NotSupportedException;
}
