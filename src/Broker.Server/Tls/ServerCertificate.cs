using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>
/// The server's certificate with its private key, and the certificates that are sent with it. Thread-safe.
/// </summary>
internal sealed class ServerCertificate
{
    private readonly Lazy<SslStreamCertificateContext> _context;

    /// <exception cref="ArgumentException">The private key is missing, or its kind cannot be used.</exception>
    internal ServerCertificate(X509Certificate2 certificate, X509Certificate2Collection? others)
    {
        if (!certificate.HasPrivateKey)
        {
            throw new ArgumentException($"The certificate of the server ({certificate.Subject}) has no private key.");
        }

        Certificate = certificate;
        _context = new Lazy<SslStreamCertificateContext>(
            () => SslStreamCertificateContext.Create(certificate, others, offline: true));
        if (!IsCommonKey(certificate))
        {
            RequireContext();
        }
    }

    internal X509Certificate2 Certificate { get; }

    /// <summary>
    /// The certificate in the form that <see cref="SslStream"/> needs. The first call blocks: .NET reads every
    /// certificate that the system trusts, although none of them is needed here.
    /// </summary>
    internal SslStreamCertificateContext Context => _context.Value;

    // .NET refuses some kinds of keys only when it creates the context. A start must report them, so it creates the
    // context at once for all but the two common kinds.
    private static bool IsCommonKey(X509Certificate2 certificate)
    {
        using RSA? rsa = certificate.GetRSAPrivateKey();
        using ECDsa? elliptic = rsa is null ? certificate.GetECDsaPrivateKey() : null;
        return rsa is not null || elliptic is not null;
    }

    private void RequireContext()
    {
        try
        {
            _ = Context;
        }
        catch (Exception e) when (e is NotSupportedException or CryptographicException)
        {
            throw new ArgumentException(
                $"The private key of the server's certificate ({Certificate.Subject}) cannot be used for TLS: {e.Message}", e);
        }
    }
}
