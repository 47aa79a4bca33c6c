using System.Security.Authentication;
using Broker.Server;
using Broker.Transport;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the keys <c>resolver</c>, <c>resolver_tls</c> and <c>resolver_pinned_accounts</c> of nats-server, with their
/// other names.
/// </summary>
internal sealed class ResolverConfig(List<ConfigProblem> problems)
{
    private const string Shape = "MEMORY, URL(\"https://…\") or a block with \"type\" and \"dir\"";

    private static readonly string[] Keys = ["resolver", "account_resolver", "accounts_resolver"];

    /// <summary>Finds the resolver under one of its names; null if the file has none.</summary>
    public static (string Key, ConfigValue Value)? Find(ConfigSection root) => OperatorConfig.Find(root, Keys);

    /// <summary>Reads the resolver. Returns null for the accounts in the file alone.</summary>
    /// <param name="root">The file.</param>
    /// <param name="found">The resolver.</param>
    public AccountResolver? Read(ConfigSection root, (string Key, ConfigValue Value) found)
    {
        ClientTlsOptions? tls = Tls(root);
        switch (found.Value)
        {
            case ConfigText { Value: var kind } when kind.ToUpperInvariant() is "MEM" or "MEMORY":
                return null;
            case ConfigText { Value: var text } when UrlOf(text) is { } url:
                return new UrlResolver(url) { Tls = tls };
            case ConfigBlock block:
                return Directory(new ConfigSection(block, problems), block);
            default:
                return root.Wrong<AccountResolver?>(found.Key, Shape, found.Value, null);
        }
    }

    /// <summary>Reads the only accounts whose users may connect; empty for all.</summary>
    public static IReadOnlyList<string> PinnedAccounts(ConfigSection root)
        => root.Many("resolver_pinned_accounts", [], "an array of public keys of accounts", static text => text.Length > 0 ? text : null);

    /// <summary>Why the server cannot start with this directory; null if it can.</summary>
    public static string? Problem(DirectoryResolver resolver, SecuritySettings settings)
        => File.Exists(resolver.Directory) ? $"\"dir\" of \"resolver\" must be a folder, but {resolver.Directory} is a file"
            : settings.SystemAccount is { } system && !settings.Operator!.Accounts.ContainsKey(system)
                && !File.Exists(Path.Combine(resolver.Directory, system + ".jwt"))
                ? $"the JWT of the system account is neither in \"resolver_preload\" nor in {resolver.Directory}"
                : null;

    private DirectoryResolver? Directory(ConfigSection section, ConfigBlock block)
    {
        bool? isCache = section.Choice<bool?>("type", null, ("full", false), ("cache", true));
        string? directory = section.FilePath("dir", null);
        bool deletes = section.Flag("allow_delete", false);
        bool removes = section.Flag("hard_delete", false);
        TimeSpan interval = section.SpanOrDefault("interval", TimeSpan.FromMinutes(2));
        TimeSpan lifetime = section.SpanOrDefault("ttl", TimeSpan.Zero);
        TimeSpan timeout = section.SpanOrDefault("timeout", TimeSpan.FromSeconds(1.9));
        long limit = section.WholeOrDefault("limit", 0, 0, int.MaxValue);
        section.RejectTheRest();
        string? problem = isCache is null ? "\"type\" of \"resolver\" must be full or cache"
            : directory is null ? "\"resolver\" needs \"dir\", the directory with the JWTs of accounts"
            : isCache.Value && (section.Has("interval") || deletes || removes) ? "a \"resolver\" of type cache has no \"interval\", \"allow_delete\" or \"hard_delete\""
            : !isCache.Value && lifetime != TimeSpan.Zero ? "a \"resolver\" of type full has no \"ttl\""
            : interval <= TimeSpan.Zero || interval > TimeSpan.FromDays(1) ? "\"interval\" of \"resolver\" must be more than 0s and at most 24h"
            : removes && !deletes ? "\"hard_delete\" needs \"allow_delete: true\""
            : null;
        if (problem is not null)
        {
            problems.Add(new ConfigProblem(problem, block.Position));
            return null;
        }

        return new DirectoryResolver(directory!)
        {
            IsCache = isCache!.Value,
            Deletion = isCache.Value || removes ? AccountDeletion.Removes : deletes ? AccountDeletion.Renames : AccountDeletion.Refused,
            Limit = limit == 0 ? null : (int)limit,
            Lifetime = lifetime == TimeSpan.Zero ? null : lifetime,
            Timeout = timeout,
            Interval = interval,
        };
    }

    // As in nats-server, the address stands between parentheses, with or without quotes.
    private static Uri? UrlOf(string text)
    {
        if (text.StartsWith("URL(", StringComparison.OrdinalIgnoreCase) && text.EndsWith(')'))
        {
            text = text[4..^1].Trim().Trim('"', '\'');
        }

        return Uri.TryCreate(text, UriKind.Absolute, out Uri? url) && url.Scheme is "http" or "https" ? url : null;
    }

    private static ClientTlsOptions? Tls(ConfigSection root)
        => root.Inner("resolver_tls", static section =>
        {
            var tls = new ClientTlsOptions
            {
                AuthorityFile = section.FilePath("ca_file", null),
                CertificateFile = section.FilePath("cert_file", null),
                KeyFile = section.FilePath("key_file", null),
                MinVersion = TlsConfig.MinVersion(section, SslProtocols.Tls12),
            };
            section.RejectTheRest(UnsupportedKeys.OfLeafTls);
            return tls;
        });
}
