using Broker.Cryptography;
using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the keys <c>authorization</c> and <c>no_auth_user</c> of nats-server. No message shows their values, because
/// any of them may be a misplaced password.
/// </summary>
internal sealed class SecurityConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private const string SecretShape = "a text in quotes";
    private const string EverybodyIsLetIn = "so every client would be admitted: remove the key if that is intended";

    private const string AllowNoPassword = "allow_users_without_password";

    private readonly PermissionsConfig _permissions = new(problems);
    private string? _noAuthUser;
    private bool _allowsNoPassword;

    /// <summary>Whether users need no password, because their certificates identify them.</summary>
    public bool CertificatesNameUsers { get; init; }

    public SecuritySettings? Read(ConfigSection root, SecuritySettings? otherwise)
    {
        _noAuthUser = root.Find("no_auth_user") is ConfigText { Value.Length: > 0 } asked ? asked.Value : null;
        _allowsNoPassword = root.Flag(AllowNoPassword, false);
        int before = problems.Count;
        SecuritySettings? settings = root.Find("authorization") switch
        {
            null => otherwise,
            ConfigBlock block => Authorization(Secretive(block), block),
            var value => root.Wrong("authorization", "a block", value, otherwise, isSecret: true),
        };
        var accounts = new AccountsConfig(this, problems, warnings);
        settings = accounts.Read(root, settings);
        settings = new OperatorConfig(problems).Read(root, settings);
        if (problems.Count == before)
        {
            RequireSomebody(root, settings);
        }

        Compare(root, settings, accounts);
        CheckCallout(root, settings);
        if (root.Find("no_auth_user") is not { } found)
        {
            return settings;
        }

        return found is ConfigText name && settings?.AllUsers.Any(u => u.Name == name.Value) is true
            ? settings with { NoAuthUser = name.Value }
            : root.Wrong("no_auth_user", "the name of one of the users", found, settings);
    }

    /// <summary>Returns a section whose values are not shown in messages.</summary>
    public ConfigSection Secretive(ConfigBlock block) => new(block, problems, isSecret: true);

    public List<User> Users(ConfigSection section)
    {
        var users = new List<User>();
        ConfigValue? found = section.Find("users");
        if (found is null)
        {
            return users;
        }

        if (found is not ConfigArray array)
        {
            return section.Wrong("users", "an array of blocks", found, users);
        }

        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (ConfigValue item in array.Items)
        {
            if (item is not ConfigBlock block)
            {
                section.Wrong("users", "an array of blocks", item, users);
            }
            else if (ReadUser(Secretive(block), block) is not { } user)
            {
                continue;
            }
            else if (names.Add(user.Name))
            {
                users.Add(user);
            }
            else
            {
                problems.Add(new ConfigProblem($"two users have the name \"{user.Name}\"", block.Position));
            }
        }

        return users;
    }

    // Reads a number of seconds, as in nats-server, or a duration.
    internal static TimeSpan Seconds(ConfigSection section, string key, TimeSpan otherwise)
        => section.Find(key) switch
        {
            ConfigInteger { Value: > 0 and <= 3600 } whole => TimeSpan.FromSeconds(whole.Value),
            ConfigFloat { Value: > 0 and <= 3600 } part => TimeSpan.FromSeconds(part.Value),
            _ => section.Span(key, otherwise),
        };

    // A list of users that a script left empty must not admit every client.
    private void RequireSomebody(ConfigSection root, SecuritySettings? settings)
    {
        if (settings is null or { IsRequired: true })
        {
            return;
        }

        if (root.Find("authorization") is ConfigBlock block)
        {
            problems.Add(block.Find("users") is { } users
                ? new ConfigProblem($"\"users\" is empty, {EverybodyIsLetIn}", users.Value.Position)
                : new ConfigProblem($"\"authorization\" contains no user and no token, {EverybodyIsLetIn}", block.Position));
        }
        else if (root.Find("accounts") is ConfigBlock accounts
            && accounts.Entries.Select(a => (a.Value as ConfigBlock)?.Find("users")).FirstOrDefault(u => u is not null) is { } empty)
        {
            problems.Add(new ConfigProblem($"\"users\" is empty in all accounts, {EverybodyIsLetIn}", empty.Value.Position));
        }
    }

    // Reports accounts that conflict with each other or with other keys. The server checks them again when it starts.
    private void Compare(ConfigSection root, SecuritySettings? settings, AccountsConfig accounts)
    {
        if (settings is null or { Operator: not null } || (settings.Accounts.Count == 0 && settings.SystemAccount is null))
        {
            return;
        }

        ConfigPosition at = (root.Find("accounts") ?? root.Find("system_account") ?? root.Find("system"))!.Position;
        if (settings.Token is not null)
        {
            problems.Add(new ConfigProblem("\"token\" and \"accounts\" cannot be combined", at));
        }

        if (settings.IsOneUser)
        {
            problems.Add(new ConfigProblem("a single \"user\" with a \"password\" and \"accounts\" cannot be combined", at));
        }

        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (User user in settings.AllUsers)
        {
            if (!names.Add(user.Name))
            {
                problems.Add(new ConfigProblem($"two users have the name \"{user.Name}\"", at));
            }
        }

        if (problems.Count > 0)
        {
            return;
        }

        try
        {
            AccountOptions.Validate(settings.Accounts, settings.SystemAccount);
        }
        catch (ArgumentException e)
        {
            problems.Add(new ConfigProblem(e.Message, accounts.PositionOf(settings) ?? at));
        }
    }

    private void CheckCallout(ConfigSection root, SecuritySettings? settings)
    {
        if (settings?.AuthCallout is null || problems.Count > 0)
        {
            return;
        }

        var options = new BrokerServerOptions
        {
            AuthCallout = settings.AuthCallout,
            Users = settings.Users,
            Accounts = settings.Accounts,
            Operator = settings.Operator,
            Token = settings.Token,
            NoAuthUser = settings.NoAuthUser,
        };
        try
        {
            options.UseCryptography().Validate();
        }
        catch (ArgumentException e)
        {
            problems.Add(new ConfigProblem(ErrorText.WithoutParameter(e.Message).TrimEnd('.'), root.Find("authorization")!.Position));
        }
    }

    private SecuritySettings Authorization(ConfigSection section, ConfigBlock block)
    {
        string? name = Named(section, "user") ?? Named(section, "username");
        // In a block with "users", a password that the blocks of the users refer to as a variable is not the block's
        // own password.
        bool isVariable = name is null && section.Has("users")
            && (block.Find("password") ?? block.Find("pass")) is { IsVariable: true };
        string? password = isVariable ? null : Secret(section, "password") ?? Secret(section, "pass");
        List<User> users = Users(section);
        var settings = new SecuritySettings
        {
            Token = Secret(section, "token"),
            Timeout = section.Find("timeout") is null ? null : Seconds(section, "timeout", TimeSpan.FromSeconds(2)),
            DefaultPermissions = _permissions.ReadDefaults(section),
            AuthCallout = new AuthCalloutConfig(problems).Read(section),
        };
        section.RejectTheRest(UnsupportedKeys.OfAuthorization);
        bool hasPassword = !isVariable && (section.Has("password") || section.Has("pass"));
        if ((section.Has("user") || section.Has("username")) != hasPassword)
        {
            problems.Add(new ConfigProblem("\"user\" and \"password\" must be given together", block.Position));
        }

        // As in nats-server, there is only one way to authenticate: a second way that was forgotten would let clients
        // in.
        ReadOnlySpan<string> others = ["user", "username", "users"];
        foreach (string other in others)
        {
            if (section.Has("token") && section.Has(other))
            {
                problems.Add(new ConfigProblem($"\"token\" and \"{other}\" cannot be combined", block.Position));
            }
        }

        if (name is not null && users.Count > 0)
        {
            problems.Add(new ConfigProblem("\"user\" and \"users\" cannot be combined", block.Position));
        }

        return settings with { Users = name is null || password is null ? users : [new User(name, password)], IsOneUser = name is not null };
    }

    private User? ReadUser(ConfigSection section, ConfigBlock block)
    {
        int before = problems.Count;
        string? name = Named(section, "user") ?? Named(section, "username");
        string? password = Secret(section, "password") ?? Secret(section, "pass");
        string? key = section.Text("nkey", null);
        Permissions? permissions = _permissions.Read(section, "permissions", "permission", "authorization");
        IReadOnlyList<ClientTransport>? transports = ConnectionTypes.Read(section);
        section.RejectTheRest(UnsupportedKeys.OfUser);
        if (problems.Count > before)
        {
            return null;
        }

        User? user = Identify(name, password, key, permissions, block);
        return transports is null ? user : user?.OnlyBy(transports);
    }

    private User? Identify(string? name, string? password, string? key, Permissions? permissions, ConfigBlock block)
    {
        if (key is not null && name is null && password is null)
        {
            return WithKey(key, permissions, block.Find("nkey")!.Value.Position);
        }

        if (key is null && name is not null && password is not null)
        {
            return new User(name, password, permissions);
        }

        if (key is null && name is not null && CertificatesNameUsers)
        {
            return User.WithCertificate(name, permissions);
        }

        // A client without credentials becomes this user, so a password would not exclude anybody.
        if (key is null && name is not null && (name == _noAuthUser || _allowsNoPassword))
        {
            return User.WithoutPassword(name, permissions);
        }

        problems.Add(new ConfigProblem(
            "a user must have a \"user\" and a \"password\", or an \"nkey\"; only the \"no_auth_user\" may have no password, "
            + $"unless \"{AllowNoPassword}\" is true",
            block.Position));
        return null;
    }

    private User? WithKey(string key, Permissions? permissions, ConfigPosition at)
    {
        try
        {
            return User.WithKey(key, permissions);
        }
        catch (ArgumentException)
        {
            string what = key.StartsWith('S') ? "; this value may be a seed, which is secret and only for the client" : "";
            problems.Add(new ConfigProblem(
                $"\"nkey\" must be a public user key: 56 characters that begin with 'U'{what}", at));
            return null;
        }
    }

    private string? Named(ConfigSection section, string key)
    {
        string? name = section.Text(key, null);
        if (name is "")
        {
            problems.Add(new ConfigProblem($"\"{key}\" is empty", section.Find(key)!.Position));
        }

        return string.IsNullOrEmpty(name) ? null : name;
    }

    private string? Secret(ConfigSection section, string key)
    {
        switch (section.Find(key))
        {
            case null:
                return null;
            case ConfigText { Value.Length: > 0 } text:
                if (BcryptText.IsBroken(text.Value))
                {
                    problems.Add(new ConfigProblem($"\"{key}\" {BcryptText.Problem}", text.Position));
                }

                return text.Value;
            case var value:
                string what = value is ConfigText
                    ? $"\"{key}\" is empty; it must be {SecretShape}"
                    : $"\"{key}\" must be {SecretShape}";
                problems.Add(new ConfigProblem(what, value.Position));
                return null;
        }
    }
}
