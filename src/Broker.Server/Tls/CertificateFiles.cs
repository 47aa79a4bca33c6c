using System.Security.Cryptography.X509Certificates;
using System.Security.Cryptography;
using Broker.Transport;

namespace Broker.Server;

/// <summary>Reads PEM files. Error messages contain the path and nothing of the content.</summary>
internal static class CertificateFiles
{
    private const int MaxFile = 4 * 1024 * 1024;

    /// <summary>
    /// Reads the first certificate of a file with its private key, and the certificates that follow it.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// A file cannot be read, is not in PEM format, or the key does not belong to the certificate.
    /// </exception>
    internal static (X509Certificate2 Certificate, X509Certificate2Collection Others) ReadIdentity(
        string certificateFile, string? keyFile)
    {
        (X509Certificate2Collection all, string certificates) = ReadWithText(certificateFile);
        string key = keyFile ?? certificateFile;
        string keyText = "";
        try
        {
            keyText = string.Equals(key, certificateFile, StringComparison.Ordinal) ? certificates : BoundedFile.ReadText(key, MaxFile);
            var certificate = X509Certificate2.CreateFromPem(certificates, keyText);
            all[0].Dispose();
            all.RemoveAt(0);
            return (Usable(certificate), all);
        }
        catch (Exception e) when (IsExpected(e) && IsEncrypted(keyText))
        {
            throw new ArgumentException(
                $"The private key in '{key}' is encrypted with a password, and the server cannot ask for the password: "
                + "write the key to a file without encryption, for example with 'openssl pkey'.",
                e);
        }
        catch (Exception e) when (IsExpected(e))
        {
            throw new ArgumentException(
                $"The file '{key}' must contain the private key of the certificate in '{certificateFile}', "
                + $"as PEM and not encrypted: {e.Message}",
                e);
        }
    }

    /// <summary>Reads all certificates of a file.</summary>
    /// <exception cref="ArgumentException">The file cannot be read or contains no certificate.</exception>
    internal static X509Certificate2Collection ReadAll(string file) => ReadWithText(file).All;

    private static (X509Certificate2Collection All, string Text) ReadWithText(string file)
    {
        var all = new X509Certificate2Collection();
        string text;
        try
        {
            text = BoundedFile.ReadText(file, MaxFile);
            all.ImportFromPem(text);
        }
        catch (Exception e) when (IsExpected(e))
        {
            throw new ArgumentException($"The certificate file '{file}' cannot be read: {e.Message}", e);
        }

        return all.Count != 0 ? (all, text) : throw new ArgumentException($"The file '{file}' contains no PEM certificate.");
    }

    // Searches for the label of an encrypted PKCS #8 key, and for the header of OpenSSL's older format.
    private static bool IsEncrypted(string key)
        => key.Contains("-----BEGIN ENCRYPTED PRIVATE KEY-----", StringComparison.Ordinal)
            || key.Contains("Proc-Type: 4,ENCRYPTED", StringComparison.Ordinal);

    // Schannel does not accept a key that exists in memory only.
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
        => e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException
            or NotSupportedException or InvalidDataException;
}
