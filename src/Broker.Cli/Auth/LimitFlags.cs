using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>Flags with limits of an account, a user or a template: -1 is no limit.</summary>
internal sealed class LimitFlags
{
    private readonly (Option<long?> Flag, string Claim)[] _limits;

    private LimitFlags(params (Option<long?> Flag, string Claim)[] limits) => _limits = limits;

    public static LimitFlags OfAccount() => new(
        (StorageFlags.Limit("--conns", "Most clients of the account"), "conn"),
        (StorageFlags.Limit("--leaf-conns", "Most leaf nodes of the account"), "leaf"),
        (StorageFlags.Limit("--exports", "Most exports"), "exports"),
        (StorageFlags.Limit("--imports", "Most imports"), "imports"),
        (StorageFlags.Limit("--subs", "Most subscriptions of each client"), "subs"),
        (StorageFlags.SizeLimit("--payload", "Longest message, such as 64KB"), "payload"),
        (StorageFlags.SizeLimit("--disk-storage", "Most bytes of streams on the disk, such as 10GB [default: no streams]"), "disk_storage"),
        (StorageFlags.SizeLimit("--mem-storage", "Most bytes of streams in memory"), "mem_storage"),
        (StorageFlags.Limit("--streams", "Most streams"), "streams"),
        (StorageFlags.Limit("--consumers", "Most consumers of streams"), "consumer"));

    public static LimitFlags OfUser() => new(
        (StorageFlags.Limit("--subs", "Most subscriptions of each client"), "subs"),
        (StorageFlags.SizeLimit("--payload", "Longest message, such as 64KB"), "payload"));

    public void AddTo(Command command)
    {
        foreach ((Option<long?> flag, _) in _limits)
        {
            command.Options.Add(flag);
        }
    }

    /// <summary>The first of these flags that is given; null for none.</summary>
    public string? FirstGiven(ParseResult flags) => Array.Find(_limits, l => flags.GetValue(l.Flag) is not null).Flag?.Name;

    public void ApplyTo(JsonObject target, ParseResult flags)
    {
        foreach ((Option<long?> flag, string claim) in _limits)
        {
            if (flags.GetValue(flag) is { } limit)
            {
                target[claim] = limit;
            }
        }
    }

    /// <summary>Sets the claims of an account without limits. A missing limit would be 0.</summary>
    public static void SetNone(JsonObject limits)
    {
        foreach (string claim in (string[])["subs", "data", "payload", "imports", "exports", "conn", "leaf"])
        {
            limits[claim] = -1;
        }

        limits["wildcards"] = true;
    }

    /// <summary>Sets the claims of a user or a template without limits.</summary>
    public static void SetNoneOfUser(JsonObject target)
    {
        foreach (string claim in (string[])["subs", "data", "payload"])
        {
            target[claim] = -1;
        }
    }
}
