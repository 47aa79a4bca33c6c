using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>The flags of an account: limits, tags, expiry, and the permissions of users without own ones.</summary>
internal sealed class AccountFlags
{
    private readonly LimitFlags _limits = LimitFlags.OfAccount();
    private readonly Option<bool?> _refusesBearer = StorageFlags.Switch("--disallow-bearer", "Whether users must have a seed");
    private readonly Option<bool?> _wildcards = StorageFlags.Switch("--wildcard-exports", "Whether exports may have wildcards [default: true]");
    private readonly PermissionFlags _permissions = new();
    private readonly Option<string[]> _tags = TagFlag.Create();
    private readonly ExpiryFlag _expiry = new();

    public void AddTo(Command command)
    {
        _expiry.AddTo(command);
        _limits.AddTo(command);
        command.With(_refusesBearer, _wildcards, _tags);
        _permissions.AddTo(command);
    }

    /// <exception cref="UsageException">A value is invalid.</exception>
    public void ApplyTo(JsonObject claims, ParseResult flags)
    {
        JsonObject nats = Token.Inner(claims, "nats");
        JsonObject limits = Token.Inner(nats, "limits");
        _limits.ApplyTo(limits, flags);
        if (flags.GetValue(_refusesBearer) is { } refuses)
        {
            limits["disallow_bearer"] = refuses;
        }

        if (flags.GetValue(_wildcards) is { } wildcards)
        {
            limits["wildcards"] = wildcards;
        }

        if (_permissions.FirstGiven(flags) is not null)
        {
            _permissions.ApplyTo(Token.Inner(nats, "default_permissions"), flags);
        }

        foreach (string list in (string[])[Shares.Exports, Shares.Imports])
        {
            Shares.Check(claims, list);
        }

        TagFlag.Apply(nats, flags, _tags);
        _expiry.ApplyTo(claims, flags);
    }
}
