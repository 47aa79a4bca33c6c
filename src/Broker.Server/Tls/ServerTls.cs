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

    private readonly SslServerAuthenticationOptions _authentication;
    // The certificate of the options, while it is not yet in _authentication; otherwise null.
    private readonly ServerCertificate? _pending;
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
        var files = ServerTlsFiles.Of(options);
        _pending = files.Certificate ?? (options.Certificate is { } given ? new ServerCertificate(given, null) : null);
        _certificate = _pending?.Certificate ?? options.CertificateContext?.TargetCertificate;
        if (_certificate is { HasPrivateKey: false })
        {
            throw new ArgumentException($"The certificate of the server ({_certificate.Subject}) has no private key.");
        }

        _authentication = new SslServerAuthenticationOptions
        {
            ServerCertificateContext = options.CertificateContext,
            EnabledSslProtocols = options.MinVersion == SslProtocols.Tls13
                ? SslProtocols.Tls13
                : SslProtocols.Tls12 | SslProtocols.Tls13,
            ClientCertificateRequired = options.ClientCertificates != ClientCertificateMode.None,
            CertificateChainPolicy = CreatePolicy(options, files),
            RemoteCertificateValidationCallback =
                options.PinnedPublicKeys.Count != 0 ? new PinnedKeys(options.PinnedPublicKeys).Validate
                : options.ClientCertificates == ClientCertificateMode.Optional ? IsGoodOrAbsent
                : null,
            CipherSuitesPolicy = CreateSuites(options.CipherSuites),
            AllowRenegotiation = false,
        };
        if (options.Configure is { } configure)
        {
            // The callback may read or replace the certificate, so the certificate is there before the call.
            _ = Authentication();
            _pending = null;
            configure(_authentication);
        }

        if (_pending is null && _authentication
            is { ServerCertificateContext: null, ServerCertificate: null, ServerCertificateSelectionCallback: null })
        {
            throw new ArgumentException(
                $"TLS needs a certificate: set {nameof(options.Certificate)}, {nameof(options.CertificateContext)} or "
                + $"{nameof(options.CertificateFile)}.");
        }
    }

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

    /// <summary>
    /// Returns the settings for <see cref="SslStream"/>. The first call may block for up to 100 ms
    /// (<see cref="ServerCertificate.Context"/>), so do not call this method on an event loop. Thread-safe.
    /// </summary>
    internal SslServerAuthenticationOptions Authentication()
    {
        if (_pending is { } certificate)
        {
            // All calls write the same reference.
            _authentication.ServerCertificateContext = certificate.Context;
        }

        return _authentication;
    }

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

    private static X509ChainPolicy? CreatePolicy(ServerTlsOptions options, ServerTlsFiles files)
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
        if ((files.Authorities ?? options.ClientAuthorities) is { } authorities)
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
