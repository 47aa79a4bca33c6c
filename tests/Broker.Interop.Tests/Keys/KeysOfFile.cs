namespace Broker.Interop.Tests.Keys;

/// <summary>
/// The keys of nats-server's configuration file, from its public documentation and from trying. Words in capital
/// letters are replaced in the files: CERT and KEY by the files of a certificate, HASH by the hash of a public key,
/// USERKEY and ACCOUNTKEY by public nkeys.
/// </summary>
internal static class KeysOfFile
{
    public static IEnumerable<Setting> All =>
    [
        .. Section("the file", "BODY", Server),
        .. Section("the file: features", "BODY", Features),
        .. Section("authorization", "authorization { BODY }", Authorization),
        .. Section("authorization: beside a token", "authorization { token: t, BODY }", BesideToken),
        .. Section(
            "authorization: beside a user", "authorization { users: [ { user: a, password: p } ], BODY }", ["auth_callout { issuer: ACCOUNTKEY, auth_users: [a] }"]),
        .. Section("a user", "authorization { users: [ { BODY } ] }", Users),
        .. Section("a user: beside a name and a password", "authorization { users: [ { user: a, password: p, BODY } ] }", BesidePassword),
        .. Section("permissions", "authorization { users: [ { user: a, password: p, permissions { BODY } } ] }", Permissions),
        .. Section("an account", "accounts { A { BODY } }", Accounts),
        .. Section("an export", "accounts { B { }\nA { exports: [ { BODY } ] } }", Exports),
        .. Section("an import", Import("BODY"), ["stream: { account: B, subject: s.x }", "service: { account: B, subject: q.x }"]),
        .. Section("an import of a stream", Import("stream: { account: B, subject: s.x }, BODY"), ["to: y", "prefix: y", "allow_trace: true"]),
        .. Section("an import of a service", Import("service: { account: B, subject: q.x }, BODY"), ["to: y", "share: true", "allow_trace: true"]),
        .. Section("tls", "tls { cert_file: \"CERT\", key_file: \"KEY\", BODY }", Tls),
        .. Section("websocket", "websocket { port: 8334, no_tls: true, BODY }", WebSocket),
    ];

    private static string[] Server =>
    [
        "listen: \"127.0.0.1:4333\"", "host: 127.0.0.1", "net: 127.0.0.1", "port: 4333", "server_name: x", "server_tags: [a]",
        "client_advertise: \"a:1\"", "max_payload: 1000", "max_control_line: 1000", "max_connections: 10", "max_conn: 10",
        "max_subscriptions: 10", "max_subs: 10", "max_sub_tokens: 5", "max_subscription_tokens: 5", "max_pending: 10000000",
        "write_deadline: \"5s\"", "write_timeout: close", "ping_interval: \"5s\"", "ping_max: 3", "lame_duck_duration: \"50s\"",
        "lame_duck_grace_period: \"5s\"", "http: 8333", "http_port: 8333", "monitor_port: 8333", "http_base_path: \"/x\"",
        "debug: true", "trace: true", "trace_verbose: true", "trace_headers: true", "max_traced_msg_len: 10", "log_file: \"l.log\"",
        "logfile: \"l.log\"", "logtime: true", "logtime_utc: true", "log_size_limit: 1000000", "logfile_size_limit: 1000000",
        "log_max_num: 3", "logfile_max_num: 3", "syslog: true", "remote_syslog: \"udp://127.0.0.1:514\"", "pid_file: \"p.pid\"",
        "pidfile: \"p.pid\"", "ports_file_dir: \".\"", "prof_port: 6060", "prof_block_rate: 1", "no_header_support: true",
        "no_fast_producer_stall: true", "max_closed_clients: 100", "server_metadata { a: b }", "metadata { a: b }",
        "mappings { a: b }", "maps { a: b }", "disable_sublist_cache: true", "no_sublist_cache: true", "connect_error_reports: 3",
        "reconnect_error_reports: 3", "allow_non_tls: true", "accounts { }", "system_account: \"$SYS\"", "system: \"$SYS\"",
        "no_system_account: true", "no_system: true", "no_sys_acc: true", "dont_listen: true", "feature_flags { a: true }",
    ];

    private static string[] Features =>
    [
        "jetstream: false", "jetstream: true", "jetstream { store_dir: \"js\" }", "store_dir: \"js\"", "storedir: \"js\"",
        "jetstream_max_catchup: 1MB", "default_js_domain { A: b }", "cluster { }", "cluster { name: c, port: 6333 }", "gateway { }",
        "gateway { name: g, port: 7333 }", "leafnodes { }", "leafnodes { port: 7444 }", "leaf { }", "mqtt { }",
        "ocsp: false", "ocsp: true", "ocsp_cache: false", "ocsp_cache: true", "operator: \"x\"", "trusted_keys: []",
        "trusted: []", "resolver: MEMORY", "resolver_tls { }", "resolver_preload { }", "resolver_pinned_accounts: []",
        "default_sentinel: \"x\"", "proxy_protocol: true", "proxies { trusted: [] }",
    ];

    private static string[] Authorization =>
    [
        "token: t", "user: a, password: p", "username: a, pass: p", "users: [ { user: a, password: p } ]",
    ];

    private static string[] BesideToken =>
    [
        "timeout: 1", "default_permissions { publish: x }", "default_permission { publish: x }", "permissions { publish: x }",
        "proxy_required: true",
    ];

    private static string[] Users =>
    [
        "user: a, password: p", "username: a, pass: p", "user: a", "nkey: USERKEY",
    ];

    private static string[] BesidePassword =>
    [
        "permissions { publish: x }", "permission { publish: x }", "authorization { publish: x }",
        "allowed_connection_types: [STANDARD, WEBSOCKET]", "allowed_connection_types: [MQTT, LEAFNODE]",
        "allowed_connection_types: [IN_PROCESS]", "allowed_connection_types: [NONE]", "connection_types: [STANDARD]",
        "clients: [STANDARD]", "account: A", "proxy_required: true", "connection_deadline: \"1h\"",
    ];

    private static string[] Permissions =>
    [
        "publish: x", "pub: x", "import: x", "subscribe: x", "sub: x", "export: x", "publish { allow: x, deny: y }",
        "allow_responses: true", "publish_allow_responses: true", "allow_responses { max: 3, expires: \"5s\" }",
        "allow_responses { max_msgs: 3, ttl: \"5s\" }", "allow_responses { max_messages: 3, expiration: \"5s\" }",
        "allow_responses { max_responses: 3 }",
    ];

    private static string[] Accounts =>
    [
        "users: [ { user: a, password: p } ]", "nkey: ACCOUNTKEY", "exports: []", "imports: []", "default_permissions { publish: x }",
        "default_permission { publish: x }", "permissions { publish: x }", "mappings { a: b }", "maps { a: b }", "jetstream: disabled",
        "jetstream: enabled", "limits { }", "limits { max_connections: 5 }", "limits { max_conn: 5 }",
        "limits { max_subscriptions: 5 }", "limits { max_subs: 5 }", "limits { max_payload: 5 }", "limits { max_pay: 5 }",
        "limits { max_leafnodes: 5 }", "limits { max_leafs: 5 }", "limits { max_connections: -1 }", "trace_dest: x", "msg_trace: x",
        "msg_trace { dest: x, sampling: 5 }", "cluster_traffic: system",
    ];

    private static string[] Exports =>
    [
        "stream: a", "service: a", "stream: a, accounts: [B]", "service: a, response_type: stream", "service: a, response: stream",
        "service: a, threshold: \"5s\"", "service: a, response_threshold: \"5s\"", "service: a, latency: lat",
        "service: a, latency { sampling: \"50%\", subject: lat }", "stream: \"a.*\", account_token_position: 2",
        "service: a, allow_trace: true",
    ];

    private static string[] Tls =>
    [
        "ca_file: \"CERT\"", "verify: true", "verify_and_map: true", "verify_cert_and_check_known_urls: true", "insecure: true",
        "timeout: 3", "handshake_first: true", "handshake_first: auto", "handshake_first: \"300ms\"", "min_version: \"1.3\"",
        "cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]", "curve_preferences: [CurveP256]", "pinned_certs: []",
        "verify: true, ca_file: \"CERT\", pinned_certs: [\"HASH\"]", "connection_rate_limit: 10", "ocsp_peer: false",
        "cert_store: WindowsCurrentUser", "cert_match: x", "cert_match_by: Subject", "certs: []",
    ];

    private static string[] WebSocket =>
    [
        "host: 127.0.0.1", "net: 127.0.0.1", "listen: \"127.0.0.1:8335\"", "advertise: \"a:1\"", "same_origin: true",
        "allowed_origins: [\"http://a\"]", "allowed_origin: \"http://a\"", "allow_origins: [\"http://a\"]", "allow_origin: \"http://a\"",
        "origins: [\"http://a\"]", "origin: \"http://a\"", "compression: true", "compress: true", "handshake_timeout: \"2s\"",
        "authorization { user: a, password: b }", "authentication { user: a, password: b }", "jwt_cookie: j", "user_cookie: u",
        "pass_cookie: p", "token_cookie: t", "headers { a: b }", "ping_interval: \"5s\"",
    ];

    private static IEnumerable<Setting> Section(string name, string template, string[] keys)
        => keys.Select(key => new Setting(name, key, template.Replace("BODY", key, StringComparison.Ordinal) + "\n"));

    private static string Import(string body)
        => $"accounts {{ B {{ exports: [ {{ stream: \"s.>\" }}, {{ service: \"q.>\" }} ] }}\nA {{ imports: [ {{ {body} }} ] }} }}";
}
