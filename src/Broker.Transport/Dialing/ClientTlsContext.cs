using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Transport;

/// <summary>The content of <see cref="ClientTlsOptions"/> and of the files in these options. Immutable.</summary>
public sealed class ClientTlsContext
{
    private const int MaxFile = 4 * 1024 * 1024;

    private readonly ClientTlsOptions _options;
    private readonly X509ChainPolicy? _policy;
    private readonly SslStreamCertificateContext? _certificate;

    /// <summary>Reads the files and checks the options.</summary>
    /// <param name="options">The options. If null, TLS is used only if a server or an address requires it.</param>
    /// <exception cref="ArgumentException">The options contradict each other, or a file cannot be used.</exception>
    public ClientTlsContext(ClientTlsOptions? options)
    {
        _options = options ?? new ClientTlsOptions { Required = false };
        Require(_options.MinVersion is SslProtocols.Tls12 or SslProtocols.Tls13, $"{nameof(_options.MinVersion)} must be TLS 1.2 or 1.3");
        Require(_options.Authorities is null || _options.AuthorityFile is null, "Authorities and AuthorityFile must not both be set");
        Require(_options.Certificate is null || _options.CertificateFile is null, "Certificate and CertificateFile must not both be set");
        Require(_options.KeyFile is null || _options.CertificateFile is not null, $"{nameof(_options.KeyFile)} requires {nameof(_options.CertificateFile)}");
        Require(_options.KeyPassword is null || _options.CertificateFile is not null, $"{nameof(_options.KeyPassword)} requires {nameof(_options.CertificateFile)}");
        Require(_options.KeyFile is null || !IsBundle(_options.CertificateFile!), $"{nameof(_options.KeyFile)} must not be set, because a PKCS#12 file contains the key");
        Require(_options.Certificate is null or { HasPrivateKey: true }, "the certificate must have a private key");
        try
        {
            _policy = CreatePolicy(_options);
            _certificate = CreateContext(_options);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException or InvalidDataException)
        {
            throw new ArgumentException($"TLS: a certificate cannot be read: {e.Message}", nameof(options), e);
        }
    }

    /// <summary>
    /// Returns a context with the present content of the files: a certificate may have been renewed since the files
    /// were read. If the options contain no file, returns this context.
    /// </summary>
    /// <exception cref="ArgumentException">A file can no longer be used.</exception>
    public ClientTlsContext ReadFiles()
        => _options is { AuthorityFile: null, CertificateFile: null } ? this : new ClientTlsContext(_options);

    /// <summary>Whether a connection without TLS is refused.</summary>
    public bool IsRequired => _options.Required;

    /// <summary>Whether the TLS handshake comes before the first message of the server.</summary>
    public bool IsHandshakeFirst => _options.HandshakeFirst;

    /// <summary>
    /// Creates the settings of one handshake. This calls <see cref="ClientTlsOptions.Configure"/>.
    /// </summary>
    /// <param name="host">
    /// The expected host name in the server's certificate, unless the options contain a host name.
    /// </param>
    public SslClientAuthenticationOptions CreateAuthentication(string host)
    {
        var authentication = new SslClientAuthenticationOptions
        {
            TargetHost = _options.TargetHost ?? host,
            EnabledSslProtocols = _options.MinVersion == SslProtocols.Tls13 ? SslProtocols.Tls13 : SslProtocols.Tls12 | SslProtocols.Tls13,
            CertificateChainPolicy = _policy,
            ClientCertificateContext = _certificate,
            RemoteCertificateValidationCallback = _options.RemoteCertificateValidation,
            AllowRenegotiation = false,
        };
        _options.Configure?.Invoke(authentication);
        return authentication;
    }

    private static void Require(bool holds, string otherwise)
    {
        if (!holds)
        {
            throw new ArgumentException($"TLS: {otherwise}.", nameof(otherwise));
        }
    }

    private static X509ChainPolicy? CreatePolicy(ClientTlsOptions options)
    {
        X509Certificate2Collection? authorities = options.AuthorityFile is { } file ? ReadAll(file) : options.Authorities;
        if (authorities is null)
        {
            return null;
        }

        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.AddRange(authorities);
        return policy;
    }

    private static SslStreamCertificateContext? CreateContext(ClientTlsOptions options)
    {
        if (options.CertificateFile is not { } file)
        {
            return options.Certificate is { } given ? SslStreamCertificateContext.Create(given, null, offline: true) : null;
        }

        if (IsBundle(file))
        {
            return CreateFromBundle(file, options.KeyPassword);
        }

        X509Certificate2Collection all = ReadAll(file);
        string key = BoundedFile.ReadText(options.KeyFile ?? file, MaxFile);
        X509Certificate2 certificate = options.KeyPassword is { } password
            ? X509Certificate2.CreateFromEncryptedPem(BoundedFile.ReadText(file, MaxFile), key, password)
            : X509Certificate2.CreateFromPem(BoundedFile.ReadText(file, MaxFile), key);
        if (OperatingSystem.IsWindows())
        {
            // Schannel does not accept a key that exists only in memory.
            using X509Certificate2 ephemeral = certificate;
            certificate = X509CertificateLoader.LoadPkcs12(ephemeral.Export(X509ContentType.Pkcs12), null);
        }

        return SslStreamCertificateContext.Create(certificate, [.. all.Skip(1)], offline: true);
    }

    private static bool IsBundle(string file)
        => file.EndsWith(".pfx", StringComparison.OrdinalIgnoreCase) || file.EndsWith(".p12", StringComparison.OrdinalIgnoreCase);

    // The certificate with the key is the client's, and the others are its intermediate certificates.
    private static SslStreamCertificateContext CreateFromBundle(string file, string? password)
    {
        X509Certificate2Collection all = X509CertificateLoader.LoadPkcs12Collection(BoundedFile.ReadBytes(file, MaxFile), password);
        X509Certificate2 certificate = all.FirstOrDefault(static c => c.HasPrivateKey)
            ?? throw new CryptographicException($"the file '{file}' contains no certificate with a private key.");
        return SslStreamCertificateContext.Create(certificate, [.. all.Where(c => c != certificate)], offline: true);
    }

    private static X509Certificate2Collection ReadAll(string file)
    {
        var all = new X509Certificate2Collection();
        all.ImportFromPem(BoundedFile.ReadText(file, MaxFile));
        return all.Count != 0 ? all : throw new CryptographicException($"the file '{file}' contains no PEM certificate.");
    }
}
