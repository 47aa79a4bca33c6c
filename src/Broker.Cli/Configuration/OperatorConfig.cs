using Broker.Cryptography;
using Broker.Server;
using Broker.Transport;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the keys <c>operator</c>, <c>trusted_keys</c>, <c>resolver</c> and <c>resolver_preload</c> of nats-server,
/// with their other names.
/// </summary>
internal sealed class OperatorConfig(List<ConfigProblem> problems)
{
    private const int MaxFile = 1024 * 1024;
    private const string TokenBegin = "eyJ";

    private static readonly string[] OperatorKeys = ["operator", "operators", "root", "roots", "root_operator", "root_operators"];
    private static readonly string[] TrustedKeys = ["trusted_keys", "trusted"];
    private static readonly string[] Others = ["accounts", "no_auth_user"];
    private static readonly string[] OthersOfAuthorization = ["user", "username", "password", "pass", "token", "users", "default_permissions", "default_permission", "permissions", "auth_callout"];

    public SecuritySettings? Read(ConfigSection root, SecuritySettings? settings)
    {
        int before = problems.Count;
        (string Key, ConfigValue Value)? operators = Find(root, OperatorKeys);
        (string Key, ConfigValue Value)? trusted = Find(root, TrustedKeys);
        (string Key, ConfigValue Value)? resolver = ResolverConfig.Find(root);
        Dictionary<string, string> accounts = Preload(root, out ConfigValue? preload);
        IReadOnlyList<string> pinned = ResolverConfig.PinnedAccounts(root);
        _ = root.Find("resolver_tls");
        if ((operators ?? trusted) is not { } first)
        {
            if ((resolver?.Value ?? preload) is { } alone)
            {
                problems.Add(new ConfigProblem("a resolver of accounts needs an \"operator\" or \"trusted_keys\"", alone.Position));
            }

            return settings;
        }

        if (resolver is null)
        {
            problems.Add(new ConfigProblem($"\"{first.Key}\" needs a \"resolver\", such as MEMORY with the accounts in \"resolver_preload\"", first.Value.Position));
        }

        Compare(root, first);
        var options = new OperatorOptions
        {
            Operators = operators is null ? [] : [.. Texts(root, operators.Value).Select(text => Token(text, operators.Value)).OfType<string>()],
            TrustedKeys = trusted is null ? [] : Texts(root, trusted.Value),
            Accounts = accounts,
            Resolver = resolver is null ? null : new ResolverConfig(problems).Read(root, resolver.Value),
            PinnedAccounts = pinned,
        };
        settings = (settings ?? new SecuritySettings()) with { Operator = options };
        if (options.Resolver is DirectoryResolver directory && ResolverConfig.Problem(directory, settings) is { } problem)
        {
            problems.Add(new ConfigProblem(problem, resolver!.Value.Value.Position));
        }

        if (problems.Count == before)
        {
            Check(settings, first.Value.Position);
        }

        return settings;
    }

    // All keys are looked up, because a key that was not read is reported as unknown.
    internal static (string Key, ConfigValue Value)? Find(ConfigSection root, string[] keys)
    {
        (string, ConfigValue)? found = null;
        foreach (string key in keys)
        {
            found = root.Find(key) is { } value ? (key, value) : found;
        }

        return found;
    }

    private static IReadOnlyList<string> Texts(ConfigSection root, (string Key, ConfigValue Value) entry)
        => root.Many(entry.Key, [], "a text in quotes or an array of texts", static text => text.Length > 0 ? text : null);

    private void Compare(ConfigSection root, (string Key, ConfigValue Value) first)
    {
        foreach (string other in Others.Where(root.Has))
        {
            problems.Add(Conflict(first.Key, other, root.Find(other)!.Position));
        }

        if (root.Find("authorization") is ConfigBlock block)
        {
            foreach (string other in OthersOfAuthorization)
            {
                if (block.Find(other) is { } found)
                {
                    problems.Add(Conflict(first.Key, other, found.Value.Position));
                }
            }
        }
    }

    private static ConfigProblem Conflict(string key, string other, ConfigPosition at)
        => new($"\"{key}\" and \"{other}\" cannot be combined: JWTs identify all accounts and users", at);

    private Dictionary<string, string> Preload(ConfigSection root, out ConfigValue? found)
    {
        var accounts = new Dictionary<string, string>(StringComparer.Ordinal);
        found = root.Find("resolver_preload");
        if (found is not null and not ConfigBlock)
        {
            root.Wrong("resolver_preload", "a block of account keys, each with the JWT of its account", found, false, isSecret: true);
        }

        foreach (ConfigEntry entry in (found as ConfigBlock)?.Entries ?? [])
        {
            if (entry.Value is ConfigText { Value.Length: > 0 } text)
            {
                accounts[entry.Key] = text.Value;
            }
            else
            {
                problems.Add(new ConfigProblem($"\"{entry.Key}\" of \"resolver_preload\" must be a JWT in quotes", entry.Position));
            }
        }

        return accounts;
    }

    private string? Token(string text, (string Key, ConfigValue Value) entry)
    {
        if (text.StartsWith(TokenBegin, StringComparison.Ordinal))
        {
            return text;
        }

        string why;
        try
        {
            if (text.Contains('\0', StringComparison.Ordinal))
            {
                throw new InvalidDataException("a path contains no zero characters");
            }

            // The file may have lines of dashes around the JWT, as those of nsc have.
            string? line = Array.Find(
                BoundedFile.ReadText(text, MaxFile).Split('\n', StringSplitOptions.TrimEntries),
                static l => l.StartsWith(TokenBegin, StringComparison.Ordinal));
            if (line is not null)
            {
                return line;
            }

            why = $"the file {text} contains no JWT";
        }
        catch (Exception e) when (e is IOException or InvalidDataException or UnauthorizedAccessException)
        {
            why = $"it is not a JWT, and as a file it cannot be read: {e.Message}";
        }

        problems.Add(new ConfigProblem($"\"{entry.Key}\" is refused: {why}", entry.Value.Position));
        return null;
    }

    private void Check(SecuritySettings settings, ConfigPosition at)
    {
        try
        {
            new BrokerServerOptions { Operator = settings.Operator, SystemAccount = settings.SystemAccount }.UseCryptography().Validate();
        }
        catch (ArgumentException e)
        {
            problems.Add(new ConfigProblem(ErrorText.WithoutParameter(e.Message).TrimEnd('.'), at));
        }
    }
}
