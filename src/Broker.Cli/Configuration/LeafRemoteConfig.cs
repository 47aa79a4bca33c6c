using System.Security.Authentication;
using Broker.Cryptography;
using Broker.Leaf;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Cli.Configuration;

/// <summary>Reads one block of <c>remotes</c>.</summary>
internal sealed class LeafRemoteConfig(List<ConfigProblem> problems)
{
    private const string UrlShape = "the address of a leaf node port, such as \"nats-leaf://user:password@host:7422\"";
    private const string FilterShape = "a filter of subjects, or an array of them";

    public LeafRemoteOptions Read(ConfigBlock block, ServeSettings settings)
    {
        var section = new ConfigSection(block, problems, isSecret: true);
        var defaults = new LeafRemoteOptions();
        int problemsBefore = problems.Count;
        IReadOnlyList<string> urls = [.. section.Many("url", [], UrlShape, Url), .. section.Many("urls", [], UrlShape, Url)];
        bool lacksUrls = urls.Count == 0 && problems.Count == problemsBefore;
        var remote = new LeafRemoteOptions
        {
            Urls = urls,
            Account = Account(section, "account", settings) ?? Account(section, "local", settings),
            Credentials = Credentials(section, block),
            DenyImports = Filters(section, "deny_imports", "deny_import"),
            DenyExports = Filters(section, "deny_exports", "deny_export"),
            NoRandomize = section.Flag("no_randomize", false) | section.Flag("dont_randomize", false),
            IgnoreDiscoveredServers = section.Flag("ignore_discovered_servers", false),
            IsDisabled = section.Flag("disabled", false),
            DialTimeout = section.Span("dial_timeout", defaults.DialTimeout),
            FirstInfoTimeout = section.Span("first_info_timeout", defaults.FirstInfoTimeout),
        };
        remote = Tls(section, remote);
        section.RejectTheRest(UnsupportedKeys.OfLeafRemote);
        if (lacksUrls)
        {
            section.Lacks("\"url\" or \"urls\" is missing");
        }
        else if (urls.Select(IsWebSocket).Distinct().Count() > 1)
        {
            section.Lacks("all addresses of a remote must have the scheme ws or wss, or none of them");
        }

        return remote;
    }

    private static bool IsWebSocket(string url) => url.TrimStart().StartsWith("ws", StringComparison.OrdinalIgnoreCase);

    private static string? Url(string text) => LeafRemoteOptions.IsValidUrl(text) ? text : null;

    private static List<string> Filters(ConfigSection section, params ReadOnlySpan<string> keys)
    {
        var all = new List<string>();
        foreach (string key in keys)
        {
            all.AddRange(section.Many(key, [], FilterShape, static text => Subject.IsValidFilter(System.Text.Encoding.UTF8.GetBytes(text)) ? text : null));
        }

        return all;
    }

    private ILeafCredentialSource? Credentials(ConfigSection section, ConfigBlock block)
    {
        ILeafCredentialSource? found = null;
        foreach (string key in (ReadOnlySpan<string>)["credentials", "creds", "nkey", "seed"])
        {
            if (section.FilePath(key, null) is not { } text)
            {
                continue;
            }

            if (found is not null)
            {
                problems.Add(new ConfigProblem("a remote must have only one of \"credentials\" and \"nkey\"", block.Position));
                return found;
            }

            try
            {
                found = key is "nkey" or "seed" && text.StartsWith("SU", StringComparison.Ordinal) && !File.Exists(text)
                    ? new LeafSeed(UserCredentials.FromSeed(text))
                    : CheckedFile(text);
            }
            catch (Exception e) when (ClientCredentials.IsUnusable(e))
            {
                string shape = key is "nkey" or "seed" ? "a user's seed, or a file with a seed" : $"a file with a user's JWT and seed, or with a seed ({e.Message})";
                section.Wrong(key, shape, section.Find(key)!, found);
            }
        }

        return found;
    }

    // The link reads the file again at each connect. Reading it here reports a wrong file before the start.
    private static LeafCredentialsFile CheckedFile(string path)
    {
        var file = new LeafCredentialsFile(path);
        file.Read();
        return file;
    }

    private LeafRemoteOptions Tls(ConfigSection section, LeafRemoteOptions remote)
    {
        switch (section.Find("tls"))
        {
            case null:
                return remote;
            case ConfigBlock block:
                var inner = new ConfigSection(block, problems);
                var tls = new ClientTlsOptions
                {
                    AuthorityFile = ExistingFile(inner, "ca_file"),
                    CertificateFile = ExistingFile(inner, "cert_file"),
                    KeyFile = ExistingFile(inner, "key_file"),
                    HandshakeFirst = inner.Flag("handshake_first", false),
                    MinVersion = TlsConfig.MinVersion(inner, SslProtocols.Tls12),
                };
                TimeSpan timeout = SecurityConfig.Seconds(inner, "timeout", remote.TlsTimeout);
                inner.RejectTheRest(UnsupportedKeys.OfLeafTls);
                if ((tls.CertificateFile is null) != (tls.KeyFile is null))
                {
                    problems.Add(new ConfigProblem("\"cert_file\" and \"key_file\" must be given together", block.Position));
                }
                else
                {
                    Load(tls, block);
                }

                return remote with { Tls = tls, TlsTimeout = timeout };
            case var value:
                return section.Wrong("tls", "a block", value, remote);
        }
    }

    private void Load(ClientTlsOptions tls, ConfigBlock block)
    {
        try
        {
            _ = new ClientTlsContext(tls);
        }
        catch (ArgumentException e)
        {
            problems.Add(new ConfigProblem(ErrorText.WithoutParameter(e.Message), block.Position));
        }
    }

    private static string? ExistingFile(ConfigSection section, string key)
        => section.FilePath(key, null) is not { } file ? null
        : File.Exists(file) ? file
        : section.Wrong<string?>(key, "an existing file", section.Find(key)!, null);

    /// <summary>Reads the name of an account; null for the global account.</summary>
    public static string? Account(ConfigSection section, string key, ServeSettings settings)
        => section.Find(key) switch
        {
            null => null,
            ConfigText { Value: "$G" } => null,
            ConfigText { Value: var name } when name == "$SYS" || settings.Security?.AccountNames.Contains(name, StringComparer.Ordinal) is true => name,
            var value => section.Wrong<string?>(key, "the name of one of the accounts", value, null, isSecret: false),
        };
}
