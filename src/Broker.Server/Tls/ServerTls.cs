using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>
/// <see cref="ServerTlsOptions"/> in the form that sessions use. Immutable: a reload creates another object and reads
/// the files again.
/// </summary>
internal sealed class ServerTls
{
    private static readonly TlsCipherSuite[] Tls13Suites =
    [
        TlsCipherSuite.TLS_AES_256_GCM_SHA384,
        TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256,
        TlsCipherSuite.TLS_AES_128_GCM_SHA256,
    ];

    private static readonly TimeSpan LongestTimeout = TimeSpan.FromDays(1);

    private readonly X509Certificate2? _certificate;

    /// <exception cref="ArgumentException">The options contradict each other, or a file cannot be used.</exception>
    internal ServerTls(ServerTlsOptions options)
    {
        Check(options);
        Timeout = options.Timeout;
        IsFirst = options.HandshakeFirst;
        Fallback = options.HandshakeFirstFallback;
        IsOptional = options.AllowNonTls;
        Verifies = options.ClientCertificates == ClientCertificateMode.Required;
        MapsUsers = options.MapUsers;
        SslStreamCertificateContext? context = CreateContext(options);
        _certificate = context?.TargetCertificate;
        if (_certificate is { HasPrivateKey: false })
        {
            throw new ArgumentException($"The certificate of the server ({_certificate.Subject}) has no private key.");
        }

        Authentication = new SslServerAuthenticationOptions
        {
            ServerCertificateContext = context,
            EnabledSslProtocols = options.MinVersion == SslProtocols.Tls13
                ? SslProtocols.Tls13
                : SslProtocols.Tls12 | SslProtocols.Tls13,
            ClientCertificateRequired = options.ClientCertificates != ClientCertificateMode.None,
            CertificateChainPolicy = CreatePolicy(options),
            RemoteCertificateValidationCallback =
                options.PinnedPublicKeys.Count != 0 ? new PinnedKeys(options.PinnedPublicKeys).Validate
                : options.ClientCertificates == ClientCertificateMode.Optional ? IsGoodOrAbsent
                : null,
            CipherSuitesPolicy = CreateSuites(options.CipherSuites),
            AllowRenegotiation = false,
        };
        options.Configure?.Invoke(Authentication);
        if (Authentication
            is { ServerCertificateContext: null, ServerCertificate: null, ServerCertificateSelectionCallback: null })
        {
            throw new ArgumentException(
                $"TLS needs a certificate: set {nameof(options.Certificate)}, {nameof(options.CertificateContext)} or "
                + $"{nameof(options.CertificateFile)}.");
        }
    }

    internal SslServerAuthenticationOptions Authentication { get; }

    internal TimeSpan Timeout { get; }

    /// <summary>Whether the handshake comes before INFO.</summary>
    internal bool IsFirst { get; }

    /// <summary>
    /// With <see cref="IsFirst"/>: the time after which the server sends INFO although no handshake has begun; zero for
    /// never.
    /// </summary>
    internal TimeSpan Fallback { get; }

    /// <summary>Whether clients may also connect without TLS.</summary>
    internal bool IsOptional { get; }

    /// <summary>Whether the server requires client certificates.</summary>
    internal bool Verifies { get; }

    internal bool MapsUsers { get; }

    internal static ServerTls? Create(ServerTlsOptions? options) => options is null ? null : new ServerTls(options);

    /// <summary>Logs a warning if the certificate is not valid now.</summary>
    internal void LogValidity(ServerLog log)
    {
        DateTime now = DateTime.Now;
        if (_certificate is not null && (now < _certificate.NotBefore || now > _certificate.NotAfter))
        {
            log.CertificateNotValid(
                _certificate.Subject,
                _certificate.NotBefore.ToUniversalTime(),
                _certificate.NotAfter.ToUniversalTime());
        }
    }

    private static void Check(ServerTlsOptions options)
    {
        int given = (options.Certificate is null ? 0 : 1)
            + (options.CertificateContext is null ? 0 : 1)
            + (options.CertificateFile is null ? 0 : 1);
        Require(
            given <= 1,
            $"only one of {nameof(options.Certificate)}, {nameof(options.CertificateContext)} and "
            + $"{nameof(options.CertificateFile)} can be set");
        Require(
            options.KeyFile is null || options.CertificateFile is not null,
            $"{nameof(options.KeyFile)} needs {nameof(options.CertificateFile)}");
        Require(
            options.ClientCertificates is >= ClientCertificateMode.None and <= ClientCertificateMode.Required,
            $"{nameof(options.ClientCertificates)} is out of its range");
        Require(
            options.ClientAuthorities is null || options.ClientAuthorityFile is null,
            $"only one of {nameof(options.ClientAuthorities)} and {nameof(options.ClientAuthorityFile)} can be set");
        Require(
            !options.MapUsers || options.ClientCertificates == ClientCertificateMode.Required,
            $"{nameof(options.MapUsers)} needs client certificates: set {nameof(options.ClientCertificates)} "
            + $"to {nameof(ClientCertificateMode.Required)}");
        ArgumentNullException.ThrowIfNull(options.PinnedPublicKeys);
        Require(
            options.PinnedPublicKeys.Count == 0 || options.ClientCertificates == ClientCertificateMode.Required,
            $"{nameof(options.PinnedPublicKeys)} needs client certificates: set {nameof(options.ClientCertificates)} "
            + $"to {nameof(ClientCertificateMode.Required)}");
        Require(
            options.Timeout > TimeSpan.Zero && options.Timeout <= LongestTimeout,
            $"{nameof(options.Timeout)} is out of its range: it must be more than zero and at most a day");
        Require(
            options.HandshakeFirstFallback >= TimeSpan.Zero && options.HandshakeFirstFallback <= LongestTimeout,
            $"{nameof(options.HandshakeFirstFallback)} is out of its range: it must be from zero to a day");
        Require(
            !(options.AllowNonTls && options.HandshakeFirst && options.HandshakeFirstFallback == TimeSpan.Zero),
            $"{nameof(options.AllowNonTls)} with {nameof(options.HandshakeFirst)} needs "
            + $"{nameof(options.HandshakeFirstFallback)}, because clients without TLS wait for INFO");
        Require(
            options.MinVersion is SslProtocols.Tls12 or SslProtocols.Tls13,
            $"{nameof(options.MinVersion)} must be TLS 1.2 or 1.3");
    }

    private static void Require(bool holds, string otherwise)
    {
        if (!holds)
        {
            throw new ArgumentException($"TLS: {otherwise}.");
        }
    }

    private static SslStreamCertificateContext? CreateContext(ServerTlsOptions options)
    {
        if (options.CertificateFile is { } file)
        {
            (X509Certificate2 certificate, X509Certificate2Collection others) =
                CertificateFiles.ReadIdentity(file, options.KeyFile);
            return SslStreamCertificateContext.Create(certificate, others, offline: true);
        }

        if (options.Certificate is not { } given)
        {
            return options.CertificateContext;
        }

        // Check the private key here: the context would throw a less clear error.
        return given.HasPrivateKey
            ? SslStreamCertificateContext.Create(given, null, offline: true)
            : throw new ArgumentException($"The certificate of the server ({given.Subject}) has no private key.");
    }

    private static X509ChainPolicy? CreatePolicy(ServerTlsOptions options)
    {
        if (options.ClientCertificates == ClientCertificateMode.None)
        {
            return null;
        }

        // As in nats-server, revocation is not checked and nothing is downloaded to verify a client.
        var policy = new X509ChainPolicy
        {
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
        };
        X509Certificate2Collection? authorities = options.ClientAuthorityFile is { } file
            ? CertificateFiles.ReadAll(file)
            : options.ClientAuthorities;
        if (authorities is not null)
        {
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(authorities);
        }

        return policy;
    }

    private static CipherSuitesPolicy? CreateSuites(IReadOnlyList<TlsCipherSuite> suites)
    {
        if (suites.Count == 0)
        {
            return null;
        }

        if (OperatingSystem.IsWindows() || OperatingSystem.IsAndroid())
        {
            throw new ArgumentException(
                "TLS: the cipher suites must be empty on this system, because a program cannot choose them here.");
        }

        return new CipherSuitesPolicy(suites.Any(IsTls13) ? suites : Tls13Suites.Concat(suites));
    }

    // The suites of TLS 1.3 begin with 0x13 (RFC 8446, appendix B.4).
    private static bool IsTls13(TlsCipherSuite suite) => ((int)suite >> 8) == 0x13;

    private static bool IsGoodOrAbsent(
        object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
        => errors == SslPolicyErrors.None
            || (certificate is null && errors == SslPolicyErrors.RemoteCertificateNotAvailable);
}
