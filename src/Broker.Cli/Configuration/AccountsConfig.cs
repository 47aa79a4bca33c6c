using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>Reads the keys <c>accounts</c> and <c>system_account</c> of nats-server.</summary>
internal sealed class AccountsConfig(SecurityConfig security, List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private const int KeyLength = 56;
    private const string ExportShape = "an array of blocks such as { stream: \"a.>\" } or { service: \"q\" }";
    private const string ImportShape = "an array of blocks such as { stream: { account: A, subject: \"a.>\" } }";
    private const string SourceShape = "a block such as { account: A, subject: \"a.>\" }";

    // The places of exports and imports, for errors that concern several accounts.
    private readonly Dictionary<object, ConfigPosition> _positions = new(ReferenceEqualityComparer.Instance);

    private readonly List<(string Name, AccountStreamLimits Limits, ConfigPosition At)> _withStreams = [];

    /// <summary>
    /// Returns the position of the first export or import that makes the accounts inconsistent. Returns null if no
    /// export or import is the reason.
    /// </summary>
    public ConfigPosition? PositionOf(SecuritySettings settings)
    {
        // Further exports and imports never mend an error, so a binary search finds the first one that causes it.
        // Imports need exports, so the exports come first.
        object[] items =
        [
            .. settings.Accounts.SelectMany(static account => account.Exports),
            .. settings.Accounts.SelectMany(static account => account.Imports),
        ];
        (int valid, int invalid) = (-1, items.Length);
        while (invalid - valid > 1)
        {
            int middle = (valid + invalid) / 2;
            (valid, invalid) = IsValidWith(settings, items[..middle]) ? (middle, invalid) : (valid, middle);
        }

        return invalid > 0 && _positions.TryGetValue(items[invalid - 1], out ConfigPosition at) ? at : null;
    }

    private static bool IsValidWith(SecuritySettings settings, object[] items)
    {
        var some = new HashSet<object>(items, ReferenceEqualityComparer.Instance);
        try
        {
            AccountOptions.Validate(
                [
                    .. settings.Accounts.Select(account => new AccountOptions(account.Name)
                    {
                        Exports = [.. account.Exports.Where(some.Contains)],
                        Imports = [.. account.Imports.Where(some.Contains)],
                    }),
                ],
                settings.SystemAccount);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    public SecuritySettings? Read(ConfigSection root, SecuritySettings? settings)
    {
        List<AccountOptions>? accounts = Accounts(root);
        string? system = root.Text("system_account", null) ?? root.Text("system", null);
        if (accounts is null && system is null)
        {
            return settings;
        }

        foreach ((string name, _, ConfigPosition at) in _withStreams.Where(found => found.Name == (system ?? AccountDescription.SystemName)))
        {
            problems.Add(new ConfigProblem($"the system account \"{name}\" cannot have \"jetstream\"", at));
        }

        return (settings ?? new SecuritySettings()) with
        {
            Accounts = accounts ?? [],
            AccountsWithStreams = _withStreams.ToDictionary(static found => found.Name, static found => found.Limits, StringComparer.Ordinal),
            SystemAccount = system,
        };
    }

    private List<AccountOptions>? Accounts(ConfigSection root)
    {
        switch (root.Find("accounts"))
        {
            case null:
                return null;
            case ConfigBlock block:
                return [.. block.Entries.Where(e => !e.IsVariable).Select(Account).OfType<AccountOptions>()];
            case var value:
                return root.Wrong("accounts", "a block of blocks, one for each account", value, (List<AccountOptions>?)null, isSecret: true);
        }
    }

    private AccountOptions? Account(ConfigEntry entry)
    {
        if (entry.Value is not ConfigBlock block)
        {
            string found = entry.Value is ConfigText ? "" : $", not {entry.Value}";
            problems.Add(new ConfigProblem($"the account \"{entry.Key}\" must be a block{found}", entry.Value.Position));
            return null;
        }

        ConfigSection section = security.Secretive(block);
        AccountLimitsConfig.Limits limits = new AccountLimitsConfig(problems, warnings).Read(section);
        var account = new AccountOptions(entry.Key)
        {
            MaxConnections = limits.Connections,
            MaxSubscriptions = limits.Subscriptions,
            MaxPayload = limits.Payload,
            Users = security.Users(section),
            DefaultPermissions = new PermissionsConfig(problems).ReadDefaults(section),
            Exports = Items(section, "exports", ExportShape, Export),
            Imports = Items(section, "imports", ImportShape, Import),
            Mappings = new MappingsConfig(problems, warnings).Read(section),
        };
        if (JetStreamConfig.LimitsOf(section, problems) is { } ofStreams)
        {
            _withStreams.Add((entry.Key, ofStreams, section.Find("jetstream")!.Position));
        }

        CheckKey(section);
        section.RejectTheRest(UnsupportedKeys.OfAccount);
        return account;
    }

    // In nats-server the key is only the name of the account for operators, which the broker does not have.
    private void CheckKey(ConfigSection section)
    {
        switch (section.Find("nkey"))
        {
            case null:
                break;
            case ConfigText { Value: ['A', ..] text } found when text.Length == KeyLength && text.All(static c => char.IsAsciiLetterUpper(c) || c is >= '2' and <= '7'):
                warnings.Add(new ConfigProblem("\"nkey\" of an account has no effect: the broker has no operators", found.Position));
                break;
            case var value:
                section.Wrong("nkey", $"a public account key: {KeyLength} characters that begin with 'A'", value, "");
                break;
        }
    }

    private List<T> Items<T>(ConfigSection section, string key, string shape, Func<ConfigSection, ConfigBlock, T?> read)
        where T : class
    {
        var items = new List<T>();
        ConfigValue? found = section.Find(key);
        if (found is null)
        {
            return items;
        }

        if (found is not ConfigArray array)
        {
            return section.Wrong(key, shape, found, items);
        }

        foreach (ConfigValue item in array.Items)
        {
            if (item is not ConfigBlock block)
            {
                section.Wrong(key, shape, item, items);
                continue;
            }

            var inner = new ConfigSection(block, problems);
            if (read(inner, block) is { } one)
            {
                items.Add(one);
                _positions[one] = block.Position;
            }

            foreach ((string ignored, string why) in UnsupportedKeys.LinksWithoutEffect)
            {
                if (inner.Find(ignored) is { } value)
                {
                    warnings.Add(new ConfigProblem($"\"{ignored}\" has no effect: {why}", value.Position));
                }
            }

            inner.RejectTheRest(UnsupportedKeys.OfExport);
        }

        return items;
    }

    private AccountExport? Export(ConfigSection section, ConfigBlock block)
    {
        string? stream = section.Text("stream", null);
        string? service = section.Text("service", null);
        IReadOnlyList<string>? accounts = section.Has("accounts")
            ? section.Many("accounts", [], "an array of account names", static text => text)
            : null;
        // These keys are always read, because a key that was not read is reported as unknown.
        ServiceResponse? response = Response(section);
        var defaults = new ServiceExport("x");
        TimeSpan time = section.Span("response_threshold", section.Span("threshold", defaults.ResponseTimeout));
        section.Find("accounts");
        if (string.IsNullOrEmpty(stream) == string.IsNullOrEmpty(service))
        {
            problems.Add(new ConfigProblem("an export must have either a \"stream\" or a \"service\"", block.Position));
            return null;
        }

        if (string.IsNullOrEmpty(stream))
        {
            return new ServiceExport(service!)
            {
                Accounts = accounts,
                Response = response ?? ServiceResponse.Once,
                ResponseTimeout = time,
            };
        }

        if (response is not null || section.Has("threshold") || section.Has("response_threshold"))
        {
            problems.Add(new ConfigProblem("response keys are only valid for a service, not for a stream", block.Position));
        }

        return new StreamExport(stream) { Accounts = accounts };
    }

    private static ServiceResponse? Response(ConfigSection section)
    {
        string key = section.Has("response_type") ? "response_type" : "response";
        section.Find("response_type");
        return section.Find(key) switch
        {
            null => null,
            ConfigText { Value: var word } when word.ToUpperInvariant() is "SINGLE" or "SINGLETON" => ServiceResponse.Once,
            ConfigText { Value: var word } when word.ToUpperInvariant() is "STREAM" => ServiceResponse.Stream,
            ConfigText { Value: var word } when word.ToUpperInvariant() is "CHUNKED" or "CHUNK" => ServiceResponse.Chunked,
            var value => section.Wrong(key, "single, stream or chunked", value, (ServiceResponse?)null),
        };
    }

    private AccountImport? Import(ConfigSection section, ConfigBlock block)
    {
        (string Account, string Subject)? stream = Source(section, "stream");
        (string Account, string Subject)? service = Source(section, "service");
        string? to = section.Text("to", null);
        string? prefix = section.Text("prefix", null);
        bool shares = section.Flag("share", false);
        if (section.Has("stream") == section.Has("service"))
        {
            problems.Add(new ConfigProblem("an import must have either a \"stream\" or a \"service\"", block.Position));
            return null;
        }

        if (stream is not null)
        {
            return new StreamImport(stream.Value.Account, stream.Value.Subject) { Prefix = prefix?.TrimEnd('.'), To = to };
        }

        if (prefix is not null)
        {
            problems.Add(new ConfigProblem("\"prefix\" is only valid for a stream; use \"to\" for a service", block.Position));
        }

        return service is not null ? new ServiceImport(service.Value.Account, service.Value.Subject) { To = to, Share = shares } : null;
    }

    private (string Account, string Subject)? Source(ConfigSection section, string key)
    {
        switch (section.Find(key))
        {
            case null:
                return null;
            case ConfigBlock block:
                var inner = new ConfigSection(block, problems);
                string? account = inner.Text("account", null);
                string? subject = inner.Text("subject", null);
                inner.RejectTheRest();
                if (!string.IsNullOrEmpty(account) && !string.IsNullOrEmpty(subject))
                {
                    return (account, subject);
                }

                problems.Add(new ConfigProblem($"\"{key}\" of an import must be {SourceShape}", block.Position));
                return null;
            case var value:
                return section.Wrong(key, SourceShape, value, ((string, string)?)null);
        }
    }
}
