namespace Broker.Cli.Configuration;

/// <summary>
/// The keys of nats-server that the broker does not support, one table for each kind of block, with the reasons. A file
/// with such a key is refused, because its author relies on the feature. <c>--ignore-unsupported</c> turns some of the
/// errors into warnings.
/// </summary>
internal static class UnsupportedKeys
{
    private const string NoEncryption = "the broker does not encrypt its files: use an encrypted disk";
    private const string NoQueueSetting = "the broker bounds what waits for the disk in bytes by itself";
    public const string NoRoutes = "the broker does not form clusters";
    private const string NoLeafCompression = "the links of leaf nodes are not compressed";
    private const string NoLeafMasking = "the frames of a WebSocket are always masked";
    private const string NoLeafSetting = "the links of leaf nodes have no such setting";
    private const string NoCookies = "a WebSocket client sends its JWT in its CONNECT, not in a cookie";
    public const string NoSyslog = "the broker logs to standard error, which a service manager collects, or to a file";
    public const string NoProfiling = "use dotnet-trace or dotnet-counters, which need no port";
    public const string NoUtc = "set TZ=UTC for the process";
    private const string NoMqtt = "the broker does not serve MQTT clients";
    private const string SeparateUsers = "WebSocket clients use the users of the whole server";
    private const string NoProxies = "the broker does not know which clients connect through a proxy";
    private const string NoTracing = "the broker does not trace messages";

    public static IReadOnlyDictionary<string, string> OfFile { get; } = Table(
        ("cluster", NoRoutes), ("routes", NoRoutes), ("gateway", NoRoutes),
        ("mqtt", NoMqtt),
        ("proxies", NoProxies), ("proxy_protocol", "the broker does not read the addresses that a proxy sends"),
        ("default_sentinel", "a client without a JWT is always refused"),
        ("ocsp", "the broker does not staple OCSP responses"), ("ocsp_cache", "the broker does not staple OCSP responses"),
        ("syslog", NoSyslog), ("remote_syslog", NoSyslog),
        ("logtime_utc", NoUtc),
        ("trace_headers", "the trace shows headers with the payload"),
        ("write_timeout", "a client that exceeds write_deadline is always closed"),
        ("feature_flags", "the broker has no such flags"),
        ("prof_port", NoProfiling),
        ("prof_block_rate", NoProfiling));

    /// <summary>Keys that only tune performance or reports. They are accepted with a warning.</summary>
    public static IReadOnlyDictionary<string, string> WithoutEffect { get; } = Table(
        ("disable_sublist_cache", "routes are always cached"), ("no_sublist_cache", "routes are always cached"),
        ("connect_error_reports", NoRoutes), ("reconnect_error_reports", NoRoutes),
        ("max_closed_clients", "the last 10,000 closed connections are kept"),
        ("server_metadata", "the monitoring pages show only \"server_tags\""));

    /// <summary>Keys of an account's exports and imports that are accepted with a warning.</summary>
    public static IReadOnlyDictionary<string, string> LinksWithoutEffect { get; } = Table(
        ("latency", "the broker does not measure the latency of services"), ("allow_trace", NoTracing));

    public static IReadOnlyDictionary<string, string> OfExport { get; } = Table(
        ("account_token_position", "list the accounts that may import in \"accounts\""));

    public static IReadOnlyDictionary<string, string> OfAuthorization { get; } = Table(
        ("proxy_required", NoProxies));

    public static IReadOnlyDictionary<string, string> OfUser { get; } = Table(
        ("proxy_required", NoProxies), ("account", "put the user into the \"users\" of its account"));

    public static IReadOnlyDictionary<string, string> OfAccount { get; } = Table(
        ("trace_dest", NoTracing), ("msg_trace", NoTracing));

    public static IReadOnlyDictionary<string, string> OfJetStream { get; } = Table(
        ("key", NoEncryption), ("ek", NoEncryption), ("encryption_key", NoEncryption), ("cipher", NoEncryption),
        ("prev_key", NoEncryption), ("prev_ek", NoEncryption), ("prev_encryption_key", NoEncryption), ("tpm", NoEncryption),
        ("limits", "set the limits of a stream when you create it"),
        ("unique_tag", NoRoutes), ("extension_hint", NoRoutes), ("max_outstanding_catchup", NoRoutes),
        ("meta_compact", NoRoutes), ("meta_compact_size", NoRoutes), ("meta_compact_sync", NoRoutes),
        ("max_buffered_size", NoQueueSetting), ("max_buffered_msgs", NoQueueSetting),
        ("request_queue_limit", NoQueueSetting), ("info_queue_limit", NoQueueSetting));

    public static IReadOnlyDictionary<string, string> OfAccountStreams { get; } = Table(
        ("cluster_traffic", NoRoutes));

    public static IReadOnlyDictionary<string, string> OfTls { get; } = Table(
        ("verify_cert_and_check_known_urls", NoRoutes),
        ("connection_rate_limit", "the number of connections is limited by max_connections of the whole server"),
        ("cert_store", "certificates are read from PEM files"), ("cert_match", "certificates are read from PEM files"),
        ("cert_match_by", "certificates are read from PEM files"), ("ocsp_peer", "the broker does not check revocation"),
        ("certs", "the server has one certificate"), ("certificates", "the server has one certificate"));

    public static IReadOnlyDictionary<string, string> OfLeafNodes { get; } = Table(
        ("min_version", NoLeafSetting), ("compression", NoLeafCompression),
        ("isolate_leafnode_interest", NoLeafSetting), ("isolate", NoLeafSetting), ("write_deadline", NoLeafSetting),
        ("write_timeout", NoLeafSetting), ("proxy_protocol", "the broker does not read the addresses that a proxy sends"));

    public static IReadOnlyDictionary<string, string> OfLeafRemote { get; } = Table(
        ("hub", "the broker is the leaf node of each of its remotes"),
        ("ws_compression", NoLeafCompression), ("ws_compress", NoLeafCompression), ("websocket_compression", NoLeafCompression),
        ("ws_no_masking", NoLeafMasking), ("websocket_no_masking", NoLeafMasking), ("compression", NoLeafCompression),
        ("isolate_leafnode_interest", NoLeafSetting), ("isolate", NoLeafSetting), ("request_isolation", NoLeafSetting), ("proxy", NoLeafSetting),
        ("jetstream_cluster_migrate", NoRoutes), ("js_cluster_migrate", NoRoutes));

    public static IReadOnlyDictionary<string, string> OfLeafTls { get; } = Table(
        ("insecure", "the certificate of a remote is always checked"), ("verify", "the certificate of a remote is always checked"),
        ("verify_and_map", "a remote accepts no connections"),
        ("cipher_suites", NoLeafSetting), ("curve_preferences", NoLeafSetting), ("pinned_certs", NoLeafSetting),
        ("cert_store", "certificates are read from PEM files"), ("cert_match", "certificates are read from PEM files"),
        ("cert_match_by", "certificates are read from PEM files"), ("ocsp_peer", "the broker does not check revocation"));

    public static IReadOnlyDictionary<string, string> OfWebSocket { get; } = Table(
        ("authorization", SeparateUsers), ("authentication", SeparateUsers), ("username", SeparateUsers), ("password", SeparateUsers),
        ("token", SeparateUsers), ("jwt_cookie", NoCookies), ("user_cookie", SeparateUsers), ("pass_cookie", SeparateUsers),
        ("token_cookie", SeparateUsers), ("ping_interval", "the ping_interval of the whole server applies to WebSocket clients"), ("headers", "HTTP responses only have the headers that the protocol needs"));

    /// <summary>
    /// Whether a key or flag with this reason may be ignored on request. The rest of the server works without the
    /// feature. Keys that restrict permissions are never ignored, because the server would permit more than its file
    /// says.
    /// </summary>
    public static bool CanBeIgnored(string why) => why is NoRoutes or NoMqtt or NoSyslog or NoProfiling;

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
