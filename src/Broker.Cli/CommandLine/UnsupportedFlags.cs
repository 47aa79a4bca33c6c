namespace Broker.Cli.CommandLine;

/// <summary>The flags of nats-server that the broker does not support, each with the reason.</summary>
internal static class UnsupportedFlags
{
    private const string NoStreams = "the broker stores no messages, so it has no streams";
    private const string NoRoutes = "the broker does not form clusters";
    private const string NoSyslog = "the broker logs to standard error, which a service manager collects, or to a file with -l";

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
        ["profile"] = "use dotnet-trace or dotnet-counters, which need no port",
        ["log_size_limit"] = "rename the file, then run broker serve --signal reopen, as logrotate does",
        ["help_tls"] = "broker serve --help lists the TLS flags, and docs/configuration.md lists the keys",
    };

    /// <summary>
    /// Returns the reason why a flag of nats-server is not supported, or null for another flag. The flag has its dashes
    /// and may have a value.
    /// </summary>
    public static string? Why(string flag) => Reasons.GetValueOrDefault(flag.TrimStart('-').Split('=')[0]);
}
