using Broker.Cli.Configuration;

namespace Broker.Cli.CommandLine;

/// <summary>A flag of nats-server that the broker does not support.</summary>
/// <param name="Typed">The flag as it was typed, without its value.</param>
/// <param name="Why">The reason why it is not supported.</param>
/// <param name="TakesValue">Whether the next argument is its value.</param>
internal sealed record UnsupportedFlag(string Typed, string Why, bool TakesValue)
{
    private static readonly Dictionary<string, (string Why, bool TakesValue)> Known = new(StringComparer.Ordinal)
    {
        ["routes"] = (UnsupportedKeys.NoRoutes, true),
        ["cluster"] = (UnsupportedKeys.NoRoutes, true),
        ["cluster_name"] = (UnsupportedKeys.NoRoutes, true),
        ["cluster_listen"] = (UnsupportedKeys.NoRoutes, true),
        ["cluster_advertise"] = (UnsupportedKeys.NoRoutes, true),
        ["no_advertise"] = (UnsupportedKeys.NoRoutes, false),
        ["connect_retries"] = (UnsupportedKeys.NoRoutes, true),
        ["s"] = (UnsupportedKeys.NoSyslog, false),
        ["syslog"] = (UnsupportedKeys.NoSyslog, false),
        ["r"] = (UnsupportedKeys.NoSyslog, true),
        ["remote_syslog"] = (UnsupportedKeys.NoSyslog, true),
        ["logtime_utc"] = (UnsupportedKeys.NoUtc, false),
        ["profile"] = (UnsupportedKeys.NoProfiling, true),
        ["help_tls"] = ("broker serve --help lists the TLS flags, and docs/configuration.md lists the keys", false),
    };

    /// <summary>Whether <c>--ignore-unsupported</c> turns the error about this flag into a warning.</summary>
    public bool CanBeIgnored => UnsupportedKeys.CanBeIgnored(Why);

    /// <summary>Whether the argument turns the feature off, such as <c>-s=false</c>.</summary>
    public bool IsOff(string argument) => !TakesValue && argument.EndsWith("=false", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// Returns the unsupported flag of an argument, or null. The argument may have a value after <c>=</c>.
    /// </summary>
    public static UnsupportedFlag? Find(string argument)
    {
        string typed = argument.Split('=')[0];
        return Known.TryGetValue(typed.TrimStart('-'), out (string Why, bool TakesValue) found)
            ? new UnsupportedFlag(typed, found.Why, found.TakesValue)
            : null;
    }
}
