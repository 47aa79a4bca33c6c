using System.Globalization;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Broker.Hosting;
using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the keys <c>tls</c> and <c>allow_non_tls</c> of nats-server. It also reads the certificate files, to report
/// unusable ones.
/// </summary>
internal sealed class TlsConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    // The time that nats-server waits for a ClientHello if handshake_first is "auto".
    private static readonly TimeSpan AutoFallback = TimeSpan.FromMilliseconds(50);

    private static readonly string[] Curves = ["CurveP256", "CurveP384", "CurveP521", "X25519"];

    public ServerTlsOptions? Read(ConfigSection root, ServerTlsOptions? otherwise)
    {
        bool allowNonTls = AllowsNonTls(root);
        ServerTlsOptions? options = root.Find("tls") switch
        {
            null => otherwise,
            // As in nats-server, an empty block means no TLS if clients without TLS are allowed.
            ConfigBlock { IsEmpty: true } when allowNonTls => otherwise,
            ConfigBlock block => Tls(new ConfigSection(block, problems), block, allowNonTls),
            var value => root.Wrong("tls", "a block", value, otherwise),
        };
        return options is null ? null : options with { AllowNonTls = allowNonTls };
    }

    /// <summary>Reads <c>allow_non_tls</c>, which also applies if flags turn TLS on.</summary>
    public static bool AllowsNonTls(ConfigSection root) => root.Flag("allow_non_tls", false);

    /// <summary>
    /// Reads the block of an HTTP listener. Keys that concern the INFO message of NATS clients do not apply to it.
    /// </summary>
    public ServerTlsOptions? ReadForHttp(ConfigSection owner)
    {
        ServerTlsOptions? options = owner.Find("tls") switch
        {
            null => null,
            ConfigBlock block => Tls(new ConfigSection(block, problems), block, allowNonTls: false),
            var value => owner.Wrong<ServerTlsOptions?>("tls", "a block", value, null),
        };
        if (options is { HandshakeFirst: true })
        {
            problems.Add(new ConfigProblem("\"handshake_first\" is not valid for WebSocket", owner.Find("tls")!.Position));
        }

        return options;
    }

    /// <summary>Reads the block of a listener that requires TLS.</summary>
    public ServerTlsOptions? ReadBlock(ConfigBlock block) => Tls(new ConfigSection(block, problems), block, allowNonTls: false);

    private ServerTlsOptions? Tls(ConfigSection section, ConfigBlock block, bool allowNonTls)
    {
        int before = problems.Count;
        var defaults = new ServerTlsOptions();
        bool maps = section.Flag("verify_and_map", false);
        bool verifies = section.Flag("verify", false) || maps;
        (bool first, TimeSpan fallback) = HandshakeFirst(section);
        ServerTlsOptions options = defaults with
        {
            CertificateFile = FilePath(section, "cert_file"),
            KeyFile = FilePath(section, "key_file"),
            ClientAuthorityFile = FilePath(section, "ca_file"),
            ClientCertificates = verifies ? ClientCertificateMode.Required : ClientCertificateMode.None,
            MapUsers = maps,
            PinnedPublicKeys = PinnedPublicKeys(section, verifies),
            HandshakeFirst = first,
            HandshakeFirstFallback = fallback,
            AllowNonTls = allowNonTls,
            Timeout = SecurityConfig.Seconds(section, "timeout", defaults.Timeout),
            MinVersion = MinVersion(section, defaults.MinVersion),
            CipherSuites = [.. section.Many("cipher_suites", [], "cipher suites such as \"TLS_AES_128_GCM_SHA256\"", CipherSuite).Select(s => s.Value)],
        };
        CurvePreferences(section);
        if (section.Flag("insecure", false))
        {
            warnings.Add(new ConfigProblem(
                "\"insecure\" has no effect: it is for connections that a server makes to others", section.Find("insecure")!.Position));
        }

        section.AllowOff("ocsp_peer", isOffIfEmpty: false);
        section.RejectTheRest(UnsupportedKeys.OfTls);
        if (problems.Count > before)
        {
            return options;
        }

        if (Load(ref options) is { } problem)
        {
            problems.Add(new ConfigProblem(problem, block.Position));
        }
        else if (NotValidNow(options.LoadedCertificate!) is { } why)
        {
            warnings.Add(new ConfigProblem($"the certificate {why}, and clients will reject it", section.Find("cert_file")!.Position));
        }

        return options;
    }

    private static string? NotValidNow(X509Certificate2 certificate)
    {
        DateTime now = DateTime.Now;
        return certificate.NotAfter < now ? string.Create(CultureInfo.InvariantCulture, $"has expired at {certificate.NotAfter.ToUniversalTime():u}")
            : certificate.NotBefore > now ? string.Create(CultureInfo.InvariantCulture, $"is valid only from {certificate.NotBefore.ToUniversalTime():u}")
            : null;
    }

    /// <summary>
    /// Reads the files, so that the start does not read them again. Returns the error that makes the options unusable,
    /// or null.
    /// </summary>
    public static string? Load(ref ServerTlsOptions options)
    {
        if (options.CertificateFile is null)
        {
            return "TLS needs a certificate: \"cert_file\" with \"key_file\", or --tlscert with --tlskey";
        }

        // The server reads this file only with "verify". Checking it here reports the error before "verify" is added.
        if (options.ClientAuthorityFile is { } authority && !File.Exists(authority))
        {
            return $"the file {authority} for the authorities of client certificates does not exist";
        }

        try
        {
            options = options.Load();
            return null;
        }
        catch (ArgumentException e)
        {
            return e.Message;
        }
    }

    private static string? FilePath(ConfigSection section, string key)
    {
        string? path = section.Text(key, null);
        if (path is not null && !File.Exists(path))
        {
            section.Wrong(key, "an existing file", section.Find(key)!, path);
        }

        return path;
    }

    private static (bool First, TimeSpan Fallback) HandshakeFirst(ConfigSection section)
        => section.Find("handshake_first") switch
        {
            null => default,
            ConfigBoolean { Value: var first } => (first, TimeSpan.Zero),
            ConfigText { Value: "auto" or "auto_fallback" } => (true, AutoFallback),
            ConfigText text when Duration.TryParse(text.Value, out TimeSpan wait) && wait > TimeSpan.Zero && wait < TimeSpan.FromHours(1) => (true, wait),
            var value => section.Wrong("handshake_first", "true, false, \"auto\" or a duration such as \"300ms\"", value, default((bool, TimeSpan))),
        };

    private IReadOnlyList<string> PinnedPublicKeys(ConfigSection section, bool verifies)
    {
        const string Key = "pinned_certs";
        IReadOnlyList<string> hashes = section.Many(
            Key, [], "an array of SHA-256 hashes of public keys, each of 64 hexadecimal digits", static text => text.Length == 64 && text.All(char.IsAsciiHexDigit) ? text : null);
        if (hashes.Count > 0 && !verifies)
        {
            problems.Add(new ConfigProblem(
                $"\"{Key}\" needs \"verify: true\", because a client shows no certificate otherwise", section.Find(Key)!.Position));
        }

        return hashes;
    }

    internal static SslProtocols MinVersion(ConfigSection section, SslProtocols otherwise)
        => section.Find("min_version") switch
        {
            null => otherwise,
            ConfigText { Value: "1.2" } or ConfigFloat { Value: 1.2 } => SslProtocols.Tls12,
            ConfigText { Value: "1.3" } or ConfigFloat { Value: 1.3 } => SslProtocols.Tls13,
            var value => section.Wrong("min_version", "\"1.2\" or \"1.3\"", value, otherwise),
        };

    // Go's names are those of IANA, but some of them lack the hash at the end.
    private static Suite? CipherSuite(string name)
        => name.StartsWith("TLS_", StringComparison.Ordinal)
            && (Enum.TryParse(name, out TlsCipherSuite suite) || Enum.TryParse(name + "_SHA256", out suite))
            ? new Suite(suite)
            : null;

    // .NET cannot select curves. A warning lets the broker still use a file that was written for nats-server.
    private void CurvePreferences(ConfigSection section)
    {
        if (section.Find("curve_preferences") is not { } found)
        {
            return;
        }

        section.Many(
            "curve_preferences",
            [],
            $"one or more of {string.Join(", ", Curves)}",
            static name => Curves.Contains(name) ? name : null);
        warnings.Add(new ConfigProblem(
            "\"curve_preferences\" has no effect: the operating system's TLS selects the curves", found.Position));
    }

    private sealed record Suite(TlsCipherSuite Value);
}
