namespace Broker.Cli.Configuration;

/// <summary>
/// The keys of nats-server for what the broker does not do, and why it does not, by the block they stand in. A file that has one
/// is refused: who wrote it counts on what it says.
/// </summary>
internal static class UnsupportedKeys
{
    private const string NoStreams = "nothing is stored, so there are no streams";
    private const string NoRoutes = "servers do not join to a cluster";
    private const string NoJwt = "users and accounts stand in this file, not in JWTs";
    private const string NoSyslog = "log to standard error, which a service manager takes, or to a file";
    private const string NoMapping = "subjects are not mapped, save by imports of accounts";
    private const string Rotation = "move the file away and ask for --signal reopen, as logrotate does";
    private const string SeparateUsers = "the users of WebSocket are those of the whole server";
    private const string NoKinds = "a user may come by any transport";

    public static IReadOnlyDictionary<string, string> OfFile { get; } = Table(
        ("cluster", NoRoutes), ("routes", NoRoutes), ("gateway", NoRoutes), ("leaf", NoRoutes), ("leafnodes", NoRoutes),
        ("jetstream", NoStreams), ("store_dir", NoStreams), ("storedir", NoStreams), ("default_js_domain", NoStreams),
        ("max_memory_store", NoStreams), ("max_file_store", NoStreams),
        ("mqtt", "clients of MQTT are not served"),
        ("operator", NoJwt), ("operators", NoJwt), ("root", NoJwt), ("roots", NoJwt), ("root_operator", NoJwt), ("root_operators", NoJwt),
        ("resolver", NoJwt), ("account_resolver", NoJwt), ("accounts_resolver", NoJwt), ("resolver_tls", NoJwt),
        ("resolver_preload", NoJwt), ("resolver_pinned_accounts", NoJwt), ("trusted", NoJwt), ("trusted_keys", NoJwt),
        ("default_sentinel", NoJwt),
        ("mappings", NoMapping), ("maps", NoMapping),
        ("ocsp", "certificates are not stapled"), ("ocsp_cache", "certificates are not stapled"),
        ("syslog", NoSyslog), ("remote_syslog", NoSyslog),
        ("logfile_size_limit", Rotation), ("log_size_limit", Rotation), ("logfile_max_num", Rotation), ("log_max_num", Rotation),
        ("logtime_utc", "set TZ=UTC for the process"),
        ("prof_port", "use dotnet-trace and dotnet-counters, which need no port"),
        ("prof_block_rate", "use dotnet-trace and dotnet-counters, which need no port"),
        ("max_sub_tokens", "the length of a subject is what limits its tokens"),
        ("max_subscription_tokens", "the length of a subject is what limits its tokens"));

    /// <summary>Those that concern effort alone: leaving them out changes nothing that anybody could count on.</summary>
    public static IReadOnlyDictionary<string, string> WithoutEffect { get; } = Table(
        ("disable_sublist_cache", "routes are always remembered"), ("no_sublist_cache", "routes are always remembered"),
        ("connect_error_reports", NoRoutes), ("reconnect_error_reports", NoRoutes));

    public static IReadOnlyDictionary<string, string> OfAuthorization { get; } = Table(
        ("auth_callout", "an embedded server can be given a callback, which this command has not"));

    public static IReadOnlyDictionary<string, string> OfUser { get; } = Table(
        ("connection_types", NoKinds), ("allowed_connection_types", NoKinds), ("clients", NoKinds), ("account", "a user stands in its account"));

    public static IReadOnlyDictionary<string, string> OfAccount { get; } = Table(
        ("nkey", NoJwt), ("jetstream", NoStreams), ("mappings", NoMapping), ("maps", NoMapping),
        ("limits", "limits are those of the whole server"), ("trace_dest", "messages are not traced"), ("msg_trace", "messages are not traced"));

    public static IReadOnlyDictionary<string, string> OfTls { get; } = Table(
        ("insecure", "certificates are checked whenever they are asked for"),
        ("verify_cert_and_check_known_urls", NoRoutes),
        ("connection_rate_limit", "the limits on connections are those of the whole server"),
        ("pinned_certs", "the certificates that are let in are those that \"ca_file\" has signed"),
        ("cert_store", "certificates come from PEM files"), ("cert_match", "certificates come from PEM files"),
        ("cert_match_by", "certificates come from PEM files"), ("ocsp_peer", "revocation is not asked for"),
        ("certs", "there is one certificate"), ("certificates", "there is one certificate"));

    public static IReadOnlyDictionary<string, string> OfWebSocket { get; } = Table(
        ("authorization", SeparateUsers), ("authentication", SeparateUsers), ("username", SeparateUsers), ("password", SeparateUsers),
        ("token", SeparateUsers), ("jwt_cookie", NoJwt), ("user_cookie", SeparateUsers), ("pass_cookie", SeparateUsers),
        ("token_cookie", SeparateUsers), ("headers", "answers have no headers but those that the protocol needs"));

    private static Dictionary<string, string> Table(params ReadOnlySpan<(string Key, string Why)> rows)
    {
        var table = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach ((string key, string why) in rows)
        {
            table.Add(key, why);
        }

        return table;
    }
}
