using Broker.Cli.Serving;
using Broker.Server.Accounts;
using Broker.Server.Security;

namespace Broker.Cli.Configuration;

/// <summary>The keys <c>authorization</c> and <c>no_auth_user</c>, as nats-server has them. No message shows a password.</summary>
internal sealed class SecurityConfig(List<ConfigProblem> problems)
{
    private const string Filters = "a subject or an array of them";
    private const string SecretShape = "a text in quotes";

    /// <summary>Whether a user needs no password, because a certificate says who it is.</summary>
    public bool CertificatesNameUsers { get; init; }

    public SecuritySettings? Read(ConfigSection root, SecuritySettings? otherwise)
    {
        var settings = root.Find("authorization") switch
        {
            null => otherwise,
            ConfigBlock block => Authorization(new ConfigSection(block, problems), block),
            var value => root.Wrong("authorization", "a block", value, otherwise),
        };
        settings = new AccountsConfig(this, problems).Read(root, settings);
        Compare(root, settings);
        if (root.Find("no_auth_user") is not { } found)
            return settings;
        if (found is ConfigText name && settings?.AllUsers.Any(u => u.Name == name.Value) is true)
            return settings with { NoAuthUser = name.Value };
        return root.Wrong("no_auth_user", "the name of one of the users", found, settings);
    }

    // What accounts have must fit together; all of it is checked where it is used too.
    private void Compare(ConfigSection root, SecuritySettings? settings)
    {
        if (settings is null || (settings.Accounts.Count == 0 && settings.SystemAccount is null))
            return;
        var at = (root.Find("accounts") ?? root.Find("system_account") ?? root.Find("system"))!.Position;
        if (settings.Token is not null)
            problems.Add(new ConfigProblem("there can be a \"token\" or \"accounts\", not both", at));
        if (settings.IsOneUser)
            problems.Add(new ConfigProblem("there can be one \"user\" and its \"password\" or \"accounts\", not both", at));
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var user in settings.AllUsers)
        {
            if (!names.Add(user.Name))
                problems.Add(new ConfigProblem($"there are two users \"{user.Name}\"", at));
        }

        if (problems.Count > 0)
            return;
        try
        {
            AccountOptions.Validate(settings.Accounts, settings.SystemAccount);
        }
        catch (ArgumentException e)
        {
            problems.Add(new ConfigProblem(e.Message, at));
        }
    }

    private SecuritySettings Authorization(ConfigSection section, ConfigBlock block)
    {
        var name = section.Text("user", null) ?? section.Text("username", null);
        var password = Secret(section, "password") ?? Secret(section, "pass");
        var users = Users(section);
        var settings = new SecuritySettings
        {
            Token = Secret(section, "token"),
            Timeout = section.Has("timeout") ? Seconds(section, "timeout", TimeSpan.FromSeconds(2)) : null,
            DefaultPermissions = Permissions(section, "default_permissions"),
        };
        section.RejectTheRest();
        if ((name is null) != (password is null))
            problems.Add(new ConfigProblem("\"user\" and \"password\" belong together", block.Position));
        if (name is not null && users.Count > 0)
            problems.Add(new ConfigProblem("there can be a \"user\" or \"users\", not both", block.Position));
        return settings with { Users = string.IsNullOrEmpty(name) || password is null ? users : [new User(name, password)], IsOneUser = name is not null };
    }

    public List<User> Users(ConfigSection section)
    {
        var users = new List<User>();
        var found = section.Find("users");
        if (found is null)
            return users;
        if (found is not ConfigArray array)
            return section.Wrong("users", "an array of blocks", found, users);
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var item in array.Items)
        {
            if (item is not ConfigBlock block)
                section.Wrong("users", "an array of blocks", item, users);
            else if (ReadUser(new ConfigSection(block, problems), block) is not { } user)
                continue;
            else if (names.Add(user.Name))
                users.Add(user);
            else
                problems.Add(new ConfigProblem($"there are two users \"{user.Name}\"", block.Position));
        }

        return users;
    }

    private User? ReadUser(ConfigSection section, ConfigBlock block)
    {
        var name = section.Text("user", null) ?? section.Text("username", null);
        var password = Secret(section, "password") ?? Secret(section, "pass");
        var key = section.Text("nkey", null);
        var permissions = Permissions(section, "permissions");
        section.RejectTheRest();
        try
        {
            if (key is not null && name is null && password is null)
                return User.WithKey(key, permissions);
        }
        catch (ArgumentException)
        {
            problems.Add(new ConfigProblem($"\"nkey\" must be a public user key such as \"U…\" of 56 characters, not \"{key}\"", block.Position));
            return null;
        }

        if (key is null && !string.IsNullOrEmpty(name) && password is not null)
            return new User(name, password, permissions);
        if (key is null && !string.IsNullOrEmpty(name) && CertificatesNameUsers)
            return User.WithCertificate(name, permissions);
        problems.Add(new ConfigProblem("a user has a \"user\" and a \"password\", or an \"nkey\"", block.Position));
        return null;
    }

    public Permissions? Permissions(ConfigSection section, string key)
    {
        switch (section.Find(key))
        {
            case null:
                return null;
            case ConfigBlock block:
                var inner = new ConfigSection(block, problems);
                var permissions = new Permissions
                {
                    Publish = Subjects(inner, "publish") ?? Subjects(inner, "pub") ?? new SubjectPermissions(),
                    Subscribe = Subjects(inner, "subscribe") ?? Subjects(inner, "sub") ?? new SubjectPermissions(),
                    Responses = Responses(inner),
                };
                inner.RejectTheRest();
                return permissions;
            case var value:
                return section.Wrong<Permissions?>(key, "a block", value, null);
        }
    }

    private SubjectPermissions? Subjects(ConfigSection section, string key)
    {
        switch (section.Find(key))
        {
            case null:
                return null;
            case ConfigBlock block:
                var inner = new ConfigSection(block, problems);
                var both = new SubjectPermissions
                {
                    Allow = inner.Has("allow") ? inner.Many("allow", [], Filters, static text => text) : null,
                    Deny = inner.Many("deny", [], Filters, static text => text),
                };
                inner.RejectTheRest();
                return both;
            default:
                return new SubjectPermissions { Allow = section.Many(key, [], Filters, static text => text) };
        }
    }

    // A subject that may be answered by default once, within two minutes.
    private ResponsePermissions? Responses(ConfigSection section)
    {
        switch (section.Find("allow_responses"))
        {
            case null or ConfigBoolean { Value: false }:
                return null;
            case ConfigBoolean:
                return new ResponsePermissions();
            case ConfigBlock block:
                var defaults = new ResponsePermissions();
                var inner = new ConfigSection(block, problems);
                var max = (int)inner.Whole("max", defaults.MaxMessages, -1, int.MaxValue);
                var responses = new ResponsePermissions { MaxMessages = max == 0 ? defaults.MaxMessages : max, Expires = inner.Span("expires", defaults.Expires) };
                inner.RejectTheRest();
                return responses;
            case var value:
                return section.Wrong<ResponsePermissions?>("allow_responses", "true, false or a block", value, null);
        }
    }

    private string? Secret(ConfigSection section, string key)
    {
        switch (section.Find(key))
        {
            case null:
                return null;
            case ConfigText { Value.Length: > 0 } text:
                return text.Value;
            case var value:
                problems.Add(new ConfigProblem($"\"{key}\" must be {SecretShape}", value.Position));
                return null;
        }
    }

    // A number of seconds, as nats-server has it, or a duration.
    internal static TimeSpan Seconds(ConfigSection section, string key, TimeSpan otherwise) =>
        section.Find(key) switch
        {
            ConfigInteger { Value: > 0 and <= 3600 } whole => TimeSpan.FromSeconds(whole.Value),
            ConfigFloat { Value: > 0 and <= 3600 } part => TimeSpan.FromSeconds(part.Value),
            _ => section.Span(key, otherwise),
        };
}
