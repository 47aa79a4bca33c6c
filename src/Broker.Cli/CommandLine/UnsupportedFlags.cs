namespace Broker.Cli.CommandLine;

/// <summary>The flags of nats-server for what the broker does not do, and why it does not.</summary>
internal static class UnsupportedFlags
{
    private const string NoStreams = "nothing is stored, so there are no streams";
    private const string NoRoutes = "servers do not join to a cluster";
    private const string NoSyslog = "log to standard error, which a service manager takes, or to a file with -l";

    private static readonly Dictionary<string, string> Reasons = new(StringComparer.Ordinal)
    {
        ["js"] = NoStreams,
        ["jetstream"] = NoStreams,
        ["sd"] = NoStreams,
        ["store_dir"] = NoStreams,
        ["routes"] = NoRoutes,
        ["cluster"] = NoRoutes,
        ["cluster_name"] = NoRoutes,
        ["cluster_listen"] = NoRoutes,
        ["cluster_advertise"] = NoRoutes,
        ["no_advertise"] = NoRoutes,
        ["connect_retries"] = NoRoutes,
        ["s"] = NoSyslog,
        ["syslog"] = NoSyslog,
        ["r"] = NoSyslog,
        ["remote_syslog"] = NoSyslog,
        ["profile"] = "use dotnet-trace and dotnet-counters, which need no port",
        ["log_size_limit"] = "move the file away and ask for --signal reopen, as logrotate does",
        ["help_tls"] = "broker serve --help lists the flags of TLS, docs/configuration.md the keys",
    };

    /// <summary>Why the flag, with its dashes and perhaps a value, is not supported; null when nats-server has none of that name.</summary>
    public static string? Why(string flag) => Reasons.GetValueOrDefault(flag.TrimStart('-').Split('=')[0]);
}
