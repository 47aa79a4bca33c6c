using Broker.Cryptography;

namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// The cases of all documented keys. Words in capital letters are replaced: CERT and KEYFILE by the files of a
/// certificate, FOLDER by an existing folder, FREEPORT by a free port, NATSURL by the URL of a server, NKEY by a public
/// key.
/// </summary>
internal static class KeyCases
{
    private static readonly string[] NotAFlag = ["1", "\"x\"", "[]", "{ }"];
    private static readonly string[] NotAText = ["1", "true", "[]", "{ }"];
    private static readonly string[] NotASpanNorZero = ["\"\"", "\"-1s\"", "x", "true", "[]"];
    private static readonly string[] NotASpan = ["0", "\"0s\"", .. NotASpanNorZero];

    /// <summary>Returns a file with the placeholder BODY for the contents of the section's block.</summary>
    public static string Template(string section) => section switch
    {
        "File" => "BODY",
        "loops" => "loops { BODY }",
        "authorization" => "authorization { BODY }",
        "auth_callout" => "accounts { AUTH { users: [ { user: s, password: s } ] }\nAPP { } }\nauthorization { auth_callout { BODY } }",
        "users" => "authorization { users: [ { BODY } ] }",
        "permissions" => "authorization { users: [ { user: a, password: b, permissions { BODY } } ] }",
        "publish and subscribe" => "authorization { users: [ { user: a, password: b, permissions { publish { BODY }, subscribe { BODY } } } ] }",
        "allow_responses" => "authorization { users: [ { user: a, password: b, permissions { allow_responses { BODY } } } ] }",
        "accounts" => "accounts { B { exports: [ { stream: \"s.>\" }, { service: \"q.>\" } ] }\nA { BODY } }",
        "jetstream" => "store_dir: \"FOLDER/js\"\njetstream { BODY }",
        "jetstream of an account" => "store_dir: \"FOLDER/js\"\njetstream: true\naccounts { A { jetstream { BODY } } }",
        "limits" => "accounts { A { users: [ { user: a, password: p } ], limits { BODY } } }",
        "exports" => "accounts { B { }\nA { exports: [ { BODY } ] } }",
        "imports" => "accounts { B { exports: [ { stream: \"s.>\" }, { service: \"q.>\" } ] }\nA { imports: [ { BODY } ] } }",
        "The stream or service of an import" =>
            "accounts { B { exports: [ { stream: \"s.>\" } ] }\nA { imports: [ { stream: { BODY } } ] } }",
        "mappings" => "mappings { a: [ { BODY } ] }",
        "tls" => "tls { BODY }",
        "leafnodes" => "leafnodes { BODY }",
        "authorization of leafnodes" => "accounts { A { } }\nleafnodes { port: -1, authorization { BODY } }",
        "remotes" => "accounts { A { } }\nleafnodes { remotes: [ { url: \"nats-leaf://127.0.0.1:1\", BODY } ] }",
        "tls of remotes" => "leafnodes { remotes: [ { url: \"nats-leaf://127.0.0.1:1\", tls { BODY } } ] }",
        "http_admin" => "http: -1\nhttp_admin { BODY }",
        "websocket" => "websocket { BODY }",
        "zeromq" => "zeromq { BODY }",
        "tls of url" => "zeromq { routes: [ { pattern: worker, subject: a, endpoint: \"tcp://127.0.0.1:*\" } ], url: \"NATSURL\", tls { BODY } }",
        "security" => "zeromq { publishers: \"tcp://127.0.0.1:*\", subscribers: \"tcp://127.0.0.1:*\", security { BODY } }",
        "routes" => "zeromq { routes: [ { BODY } ] }",
        "pattern: pubsub" => "zeromq { routes: [ { pattern: pubsub, BODY } ] }",
        "last_values of a pubsub route" => "zeromq { routes: [ { pattern: pubsub, publishers: \"tcp://127.0.0.1:*\", last_values { BODY } } ] }",
        "pattern: request" => "zeromq { routes: [ { pattern: request, BODY } ] }",
        "pattern: worker" => "zeromq { routes: [ { pattern: worker, BODY } ] }",
        "pattern: pushpull" => "zeromq { routes: [ { pattern: pushpull, BODY } ] }",
        "pattern: router, dealer or pair" => "zeromq { routes: [ { pattern: dealer, BODY } ] }",
        "stream of a pushpull route" => "zeromq { url: \"NATSURL\", routes: [ { pattern: pushpull, subject: a, pushers: \"tcp://127.0.0.1:*\", stream { BODY } } ] }",
        "publishers and subscribers" =>
            "authorization { users: [ { user: u, password: p }, { user: v, password: p, permissions { subscribe: [] } } ] }\n"
            + "zeromq { user: u, subscribers: \"tcp://127.0.0.1:*\", publishers { BODY } }",
        _ => throw new ArgumentException($"nobody says what the keys of \"{section}\" stand in", nameof(section)),
    };

    public static IEnumerable<KeyCase> All =>
    [
        .. OfFile(), .. OfSecurity(), .. OfAccounts(), .. OfTls(), .. OfWebSocket(), .. OfStreams(), .. OfZeroMq(), .. RouteCases.All,
        Case("leafnodes", "remotes", ["[ { url: \"nats-leaf://127.0.0.1:1\" } ]", "[]"], ["x", "{ }", "[ x ]", "[ { } ]", "[ { url: x } ]"]),
        Case("leafnodes", "reconnect", ["1", "\"2s\""], ["0", "-1", "x", "\"0s\""]),
        .. Aliases("File", ["leafnodes", "leaf"], ["KEY { remotes: [ { url: \"nats-leaf://127.0.0.1:1\" } ] }", "KEY { }", "KEY { port: -1 }"], ["KEY: x", "KEY: []", "KEY { x: y }"]),
        Case("File", "default_js_domain", ["{ }", "{ \"$G\": hub }", "{ A: hub }\naccounts { A { } }"], ["x", "[]", "{ A: hub }", "{ \"$G\": \"a.b\" }"]),
        Case("remotes", "url", ["\"nats-leaf://127.0.0.1:2\"", "[\"nats://127.0.0.1:3\"]"], ["1", "\"http://a\"", "[]", "x"]),
        Case("remotes", "urls", ["\"nats-leaf://127.0.0.1:2\"", "[\"nats://u:p@127.0.0.1:3\"]"], ["1", "\"http://a\"", "[1]", "\"ws://a?b\""]),
        Case("remotes", "account", ["A", "\"$G\""], ["B", "1"]),
        Case("remotes", "local", ["A"], ["B", "1"]),
        .. OfRemotes(), .. OfLeafListeners(),
        Case("loops", "threads", ["0", "3"], ["-1", "257", "x"]),
        Case("loops", "idle_polls", ["0", "7"], ["-1", "x"]),
        Case("loops", "bulk_pause", ["0", "7"], ["-1", "x"]),
    ];

    private static IEnumerable<KeyCase> OfCallout()
    {
        string issuer = $"issuer: {NkeyPair.Generate(NkeyKind.Account)}";
        string curve = NkeyPair.Generate(NkeyKind.Curve).PublicKey;
        const string Service = "account: AUTH, auth_users: [s]";
        return
        [
            new("authorization", "auth_callout", [$"users: [ {{ user: a, password: b }} ], auth_callout {{ {issuer}, auth_users: a }}"], ["auth_callout: x", "auth_callout { }", $"token: t, auth_callout {{ {issuer}, auth_users: a }}"]),
            new("auth_callout", "issuer", [$"{issuer}, {Service}"], [Service, $"issuer: x, {Service}", $"issuer: 1, {Service}", $"issuer: {curve}, {Service}"]),
            new("auth_callout", "account", [$"{issuer}, {Service}"], [$"{issuer}, auth_users: [s]", $"{issuer}, auth_users: [s], account: NONE", $"{issuer}, auth_users: [s], account: 1"]),
            new("auth_callout", "auth_users", [$"{issuer}, {Service}", $"{issuer}, account: AUTH, auth_users: s"], [$"{issuer}, account: AUTH", $"{issuer}, account: AUTH, auth_users: []", $"{issuer}, account: AUTH, auth_users: [x]"]),
            new("auth_callout", "xkey", [$"{issuer}, {Service}, xkey: {curve}"], [$"{issuer}, {Service}, xkey: x", $"{issuer}, {Service}, xkey: 1"]),
            new("auth_callout", "allowed_accounts", [$"{issuer}, {Service}, allowed_accounts: [APP]", $"{issuer}, {Service}, allowed_accounts: APP"], [$"{issuer}, {Service}, allowed_accounts: [NONE]", $"{issuer}, {Service}, allowed_accounts: 1"]),
        ];
    }

    private static IEnumerable<KeyCase> OfLeafListeners() =>
    [
        Case("leafnodes", "listen", ["-1", "\"127.0.0.1:-1\"", "\"[::1]:-1\"", "\"localhost:-1\"", "0"], ["70000", "x", "\"hub.example.org:7422\"", "true"]),
        new("leafnodes", "host", ["host: 127.0.0.1, port: -1", "host: \"*\", port: -1"], ["host: \"a b\", port: -1", "host: hub.example.org, port: -1"]),
        new("leafnodes", "net", ["net: \"::1\", port: -1"], ["net: \"\", port: -1"]),
        Case("leafnodes", "port", ["-1", "0"], ["70000", "\"1\"", "-2"]),
        .. Aliases("leafnodes", ["authorization", "authentication"], ["port: -1, KEY { user: a, password: b }", "port: -1, KEY { }"], ["KEY: x", "KEY { token: a }", "KEY { user: a }", "KEY { x: y }"]),
        new("leafnodes", "tls", ["port: -1, tls { CERTIFICATE }", "port: -1, tls { CERTIFICATE, handshake_first: true }"], ["port: -1, tls { }", "tls: true", "port: -1, tls { CERTIFICATE, verify_and_map: true, ca_file: \"CERT\" }"]),
        Case("leafnodes", "advertise", ["\"hub.example.org:7422\""], ["1", "\"a b\""]),
        Case("leafnodes", "no_advertise", ["true", "false"], NotAFlag),
        .. Aliases("authorization of leafnodes", ["user", "username"], ["KEY: a, password: b"], ["KEY: a", "KEY: 1, password: b", "KEY: \"\", password: b"]),
        .. Aliases("authorization of leafnodes", ["password", "pass"], ["user: a, KEY: b"], ["KEY: b", "user: a, KEY: 1", "user: a, KEY: \"\""]),
        Case("authorization of leafnodes", "nkey", ["UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"], ["x", "1", "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4, user: a"]),
        new("authorization of leafnodes", "account", ["user: a, password: b, account: A"], ["user: a, password: b, account: B", "user: a, password: b, account: 1"]),
        Case("authorization of leafnodes", "users", ["[ { user: a, password: b, account: A } ]", "[]"], ["x", "[ x ]", "[ { user: a } ]", "[ { user: a, password: b }, { user: a, password: c } ]", "[ { user: a, password: b, x: y } ]"]),
        Case("authorization of leafnodes", "timeout", ["3", "\"3s\""], ["0", "x"]),
    ];

    private static IEnumerable<KeyCase> OfRemotes() =>
    [
        .. Aliases("remotes", ["credentials", "creds"], ["KEY: \"SEEDFILE\""], ["KEY: 1", "KEY: \"FOLDER/none\""]),
        .. Aliases("remotes", ["nkey", "seed"], ["KEY: \"SEEDFILE\"", "KEY: SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM"], ["KEY: 1", "KEY: SUAAOCAJB"]),
        Case("remotes", "tls", ["{ }"], ["x", "[]", "1"]),
        .. Aliases("remotes", ["deny_imports", "deny_import", "deny_exports", "deny_export"], ["KEY: a", "KEY: [a.*, b.>]"], ["KEY: 1", "KEY: a..b", "KEY: [1]"]),
        .. new[] { "no_randomize", "dont_randomize", "ignore_discovered_servers", "disabled" }.Select(static key => Case("remotes", key, ["true", "false"], NotAFlag)),
        .. new[] { "dial_timeout", "first_info_timeout" }.Select(static key => Case("remotes", key, ["\"3s\""], NotASpan)),
        Case("tls of remotes", "ca_file", ["\"CERT\""], ["\"FOLDER/none\"", "1"]),
        Case("tls of remotes", "cert_file", ["\"CERT\", key_file: \"KEYFILE\""], ["\"CERT\"", "1"]),
        Case("tls of remotes", "key_file", ["\"KEYFILE\", cert_file: \"CERT\""], ["\"KEYFILE\"", "1"]),
        Case("tls of remotes", "handshake_first", ["true", "false"], NotAFlag),
        Case("tls of remotes", "min_version", ["\"1.2\"", "1.3"], ["\"1.1\"", "true"]),
        Case("tls of remotes", "timeout", ["3", "\"3s\""], ["0", "x"]),
    ];

    private static IEnumerable<KeyCase> OfFile() =>
    [
        Case(
            "File", "listen",
            ["FREEPORT", "-1", "\"127.0.0.1:-1\"", "\"[::1]:-1\"", "\"*:-1\"", "\":-1\"", "\"localhost:FREEPORT\"", "[\"127.0.0.1:-1\", \"[::]:-1\"]"],
            ["70000", "-2", "localhost", "\"a b:1\"", "\"::1:4\"", "\"127.0.0.1:0\"", "[]", "[1]", "{ }", "true"]),
        Case("File", "host", ["0.0.0.0", "\"::\"", "\"[::1]\"", "\"*\"", "localhost"], ["\"\"", "\"a b\"", "1", "[]", "\"localhost:1\""]),
        Case("File", "net", ["127.0.0.1"], ["\"a/b\"", "true"]),
        Case("File", "port", ["FREEPORT", "-1"], ["-2", "65536", "\"4222\"", "x"]),
        Case("File", "server_name", ["n1", "\"with a space\""], NotAText),
        Case("File", "server_tags", ["a", "\"a, b\"", "[a, \"B:1\"]", "[]"], ["1", "true", "{ }"]),
        Case("File", "client_advertise", ["\"example.org:4222\"", "\"[::1]:4222\""], ["\"example.org\"", "\":4222\"", "\"a:0\"", "1"]),
        Case("File", "connect_urls", ["\"b:4222\"", "[\"b:4222\", \"c:4222\"]", "[]"], ["\"b\"", "[\"b:0\"]", "1"]),
        Case("File", "max_payload", ["1", "2MB", "0"], ["65MB", "1.5", "\"1MB\"", "x", "-1"]),
        Case("File", "max_control_line", ["128", "8KB", "0"], ["127", "2MB", "x"]),
        Case("File", "max_connections", ["1", "70000", "0"], ["-1", "x"]),
        Case("File", "max_conn", ["1", "0"], ["-1", "x"]),
        Case("File", "max_subscriptions", ["1", "0", "-1"], ["-2", "x"]),
        Case("File", "max_subs", ["1", "0", "-1"], ["-2", "x"]),
        .. new[] { "max_sub_tokens", "max_subscription_tokens" }.Select(static key => Case("File", key, ["1", "255"], ["0", "256", "-1", "x"])),
        Case("File", "max_pending", ["2MB"], ["1KB", "100", "x"]),
        Case("File", "max_pending_total", ["0", "64MB", "1GB"], ["1KB", "-1", "x"]),
        Case("File", "slow_consumers", ["disconnect", "drop_newest", "drop_oldest"], ["drop", "1", "true"]),
        Case("File", "no_fast_producer_stall", ["true", "false"], ["1", "maybe"]),
        Case("File", "write_deadline", ["\"5s\"", "250ms", "1m30s", "0", "\"0s\""], NotASpanNorZero),
        Case("File", "ping_interval", ["\"5s\"", "\"2m\"", "\"0s\""], NotASpanNorZero),
        Case("File", "ping_max", ["1", "10", "0"], ["-1", "x"]),
        Case("File", "stop_deadline", ["\"1s\""], NotASpan),
        Case("File", "lame_duck_duration", ["\"30s\"", "10s"], [.. NotASpan, "5s"]),
        Case("File", "lame_duck_grace_period", ["\"1s\"", "\"2m\""], [.. NotASpan, "3m", "\"3m\""]),
        Case("File", "loops", ["{ }", "{ threads: 1 }"], ["2", "[]", "{ thread: 1 }"]),
        Case("File", "http", ["-1", "FREEPORT", "0", "\"0.0.0.0:-1\"", "\"[::]:-1\"", "\"*:-1\"", "\":-1\"", "\"0.0.0.0:0\""], ["70000", "-2", "x", "\"a b:1\"", "\"a b:0\"", "true"]),
        Case("File", "http_port", ["-1", "FREEPORT", "0"], ["70000", "\"1\"", "x"]),
        Case("File", "monitor_port", ["-1", "FREEPORT", "0"], ["70000", "\"1\"", "x"]),
        Case("File", "http_base_path", ["\"/broker\"", "\"a/b/\"", "\"\""], ["\"a b\"", "\"/{x}\"", "1"]),
        Case("File", "http_max_connections", ["1", "65536"], ["0", "65537", "x"]),
        Case("File", "http_admin", ["{ user: ops, password: HASH }", "{ token: abcdefghijklmnop }"], ["{ }", "x", "[]", "true", "{ user: ops }", "{ user: ops, token: abcdefghijklmnop }"]),
        new("http_admin", "user", ["user: ops, password: HASH"], ["user: \"\", password: HASH", "user: ops", "user: 1, password: HASH"]),
        new("http_admin", "password", ["user: ops, password: HASH"], ["user: ops, password: plain", "user: ops, password: 1", "password: HASH"]),
        Case("http_admin", "token", ["abcdefghijklmnop"], ["short", "1", "abcdefghijklmnop, user: a"]),
        Case("File", "sample_subjects", ["0", "1000", "1000000"], ["-1", "1000001", "x"]),
        new(
            "File", "https", ["tls { CERTIFICATE }\nhttps: -1", "tls { CERTIFICATE }\nhttps: \"0.0.0.0:-1\"", "https: 0"],
            ["https: -1", "https: x", "tls { CERTIFICATE }\nhttps: -1\nhttp: -1"]),
        new("File", "https_port", ["tls { CERTIFICATE }\nhttps_port: -1", "https_port: 0"], ["https_port: -1", "https_port: x"]),
        Case("File", "websocket", ["{ port: -1, no_tls: true }"], ["true", "8080", "{ }", "{ port: -1 }"]),
        Case("File", "ws", ["{ port: -1, no_tls: true }"], ["true", "{ }"]),
        Case("File", "debug", ["true", "no"], NotAFlag),
        Case("File", "trace", ["true", "off"], NotAFlag),
        Case("File", "trace_verbose", ["true", "off"], NotAFlag),
        Case("File", "max_traced_msg_len", ["100", "0", "-1", "1KB"], ["x", "1.5"]),
        Case("File", "log_file", ["\"FOLDER/b.log\"", "\"\""], ["\"FOLDER/none/b.log\"", "1"]),
        Case("File", "logfile", ["\"FOLDER/b.log\"", "\"\""], ["\"FOLDER/none/b.log\"", "1"]),
        .. new[] { "logfile_size_limit", "log_size_limit" }.Select(static key => Case("File", key, ["1MB", "100", "0", "-1"], ["-2", "x", "1.5"])),
        .. new[] { "logfile_max_num", "log_max_num" }.Select(static key => Case("File", key, ["3", "0", "-1"], ["-2", "x"])),
        Case("File", "logtime", ["false", "true"], NotAFlag),
        Case("File", "pid_file", ["\"FOLDER/b.pid\"", "\"\""], ["\"FOLDER/none/b.pid\"", "1"]),
        Case("File", "pidfile", ["\"FOLDER/b.pid\"", "\"\""], ["\"FOLDER/none/b.pid\"", "1"]),
        Case("File", "ports_file_dir", ["\"FOLDER\"", "\"\""], ["\"FOLDER/none\"", "1"]),
        Case("File", "authorization", ["{ token: t }"], ["x", "true", "{ }", "{ timeout: 1 }", "{ users: [] }"]),
        new(
            "File", "no_auth_user",
            ["no_auth_user: a\nauthorization { users: [ { user: a } ] }", "accounts { A { users: [ { user: a } ] } }\nno_auth_user: a"],
            ["no_auth_user: a", "no_auth_user: b\nauthorization { user: a, password: p }", "no_auth_user: 1"]),
        new(
            "File", "allow_users_without_password",
            ["allow_users_without_password: true\nauthorization { users: [ { user: a } ] }", "allow_users_without_password: false"],
            ["allow_users_without_password: false\nauthorization { users: [ { user: a } ] }", "allow_users_without_password: 1"]),
        Case("File", "accounts", ["{ }", "{ A { } }", "{ A { users: [ { user: a, password: p } ] } }"], ["x", "[]", "{ A: 1 }", "{ $G { } }", "{ A { users: [] } }"]),
        new("File", "system_account", ["system_account: S\naccounts { S { } }", "system_account: \"$SYS\""], ["system_account: S", "system_account: 1", "system_account: $SYS"]),
        new("File", "system", ["system: S\naccounts { S { } }"], ["system: S"]),
        .. OfOperators(),
        .. Aliases(
            "File", ["mappings", "maps"],
            ["KEY { }", "KEY { a: b, \"c.*.>\": \"d.$1.>\" }", "KEY { a: [ { destination: b, weight: 5% } ] }", "KEY { a { dest: b, weight: 100 } }", "KEY { A: b, a: b }"],
            ["KEY: x", "KEY: []", "KEY { a: 1 }", "KEY { a: [b] }", "KEY { \"a.*\": \"b.$2\" }", "KEY { \"a..b\": b }", "KEY { a: b.{{wildcard(1)}} }", "KEY { a: [ { destination: b, weight: 60 }, { destination: c, weight: 60 } ] }"]),
        Case("File", "tls", ["{ CERTIFICATE }"], ["true", "{ }", "{ cert_file: \"none\" }"]),
        Case("File", "allow_non_tls", ["true", "false"], NotAFlag),
        Case(
            "File", "zeromq",
            ["{ publishers: \"tcp://127.0.0.1:*\", subscribers: \"tcp://127.0.0.1:*\" }", "false"], ["1", "x", "[]", "{ peers: 1 }"]),
    ];

    // The seeds are known, so that no JWT contains one of the words in capital letters.
    private static IEnumerable<KeyCase> OfOperators()
    {
        var one = JwtKey.ForOperator(1);
        var account = JwtKey.ForAccount(2);
        string jwt = one.Sign(one.Public, "\"type\":\"operator\",\"version\":2");
        string ofAccount = one.Sign(account.Public, $"{JwtSite.NoLimits},\"type\":\"account\",\"version\":2");
        string preload = $"resolver_preload {{ {account}: \"{ofAccount}\" }}";
        return
        [
            .. Aliases(
                "File", ["operator", "operators", "root", "roots", "root_operator", "root_operators"],
                [$"KEY: \"{jwt}\"\nresolver: MEMORY", $"KEY: [\"{jwt}\"]\nresolver: MEMORY\n{preload}", $"KEY: \"{jwt}\"\nresolver: MEMORY\n{preload}\nsystem_account: {account}\nauthorization {{ timeout: 3 }}"],
                [$"KEY: \"{jwt}\"", "KEY: \"FOLDER/none\"\nresolver: MEMORY", "KEY: 1\nresolver: MEMORY", "KEY: []\nresolver: MEMORY", $"KEY: \"{ofAccount}\"\nresolver: MEMORY", $"KEY: \"{jwt}\"\nresolver: MEMORY\naccounts {{ A {{ }} }}", $"KEY: \"{jwt}\"\nresolver: MEMORY\nauthorization {{ users: [ {{ user: a, password: p }} ] }}", $"KEY: \"{jwt}\"\nresolver: MEMORY\nsystem_account: {account}"]),
            .. Aliases(
                "File", ["trusted_keys", "trusted"], [$"KEY: {one}\nresolver: MEMORY\n{preload}", $"KEY: [{one}]\nresolver: MEMORY"],
                [$"KEY: {account}\nresolver: MEMORY", $"KEY: {one}\nresolver: MEMORY\noperator: \"{jwt}\"", $"KEY: {one}", "KEY: []\nresolver: MEMORY"]),
            .. Aliases(
                "File", ["resolver", "account_resolver", "accounts_resolver"],
                [$"KEY: MEMORY\noperator: \"{jwt}\"", $"KEY: mem\noperator: \"{jwt}\"", $"KEY: URL(\"http://127.0.0.1/\")\noperator: \"{jwt}\"", $"KEY {{ type: full, dir: \"FOLDER/jwts\" }}\nsystem_account: {account}\n{preload}\noperator: \"{jwt}\""],
                ["KEY: MEMORY", $"KEY: URL(\"ftp://127.0.0.1/\")\noperator: \"{jwt}\"", $"KEY {{ type: full, dir: FOLDER }}\nsystem_account: {account}\noperator: \"{jwt}\"", $"KEY {{ type: full }}\nsystem_account: {account}\noperator: \"{jwt}\"", $"KEY {{ type: full, dir: FOLDER }}\noperator: \"{jwt}\"", $"KEY: 1\noperator: \"{jwt}\""]),
            new(
                "File", "resolver_tls", [$"resolver_tls {{ }}\nresolver: URL(\"https://127.0.0.1/\")\noperator: \"{jwt}\""],
                [$"resolver_tls: 1\nresolver: MEMORY\noperator: \"{jwt}\"", $"resolver_tls {{ ca_file: \"FOLDER/none\" }}\nresolver: URL(\"https://127.0.0.1/\")\noperator: \"{jwt}\""]),
            new(
                "File", "resolver_pinned_accounts", [$"resolver_pinned_accounts: [{account}]\nresolver: MEMORY\noperator: \"{jwt}\""],
                [$"resolver_pinned_accounts: [x]\nresolver: MEMORY\noperator: \"{jwt}\"", $"resolver_pinned_accounts: 1\nresolver: MEMORY\noperator: \"{jwt}\""]),
            new(
                "File", "resolver_preload", [$"{preload}\nresolver: MEMORY\noperator: \"{jwt}\"", $"resolver_preload {{ }}\nresolver: MEMORY\noperator: \"{jwt}\""],
                [preload, $"resolver_preload: x\nresolver: MEMORY\noperator: \"{jwt}\"", $"resolver_preload {{ {account}: \"{jwt}\" }}\nresolver: MEMORY\noperator: \"{jwt}\"", $"resolver_preload {{ A: \"{ofAccount}\" }}\nresolver: MEMORY\noperator: \"{jwt}\"", $"resolver_preload {{ {account}: 1 }}\nresolver: MEMORY\noperator: \"{jwt}\""]),
        ];
    }

    private static IEnumerable<KeyCase> OfSecurity() =>
    [
        Case(
            "authorization", "users", ["[ { user: a, password: p }, { user: b, pass: q } ]", "[ { nkey: NKEY } ]"],
            ["[]", "x", "{ }", "[x]", "[ { } ]", "[ { user: a } ]", "[ { user: a, password: p }, { user: a, password: q } ]"]),
        new("authorization", "user", ["user: a, password: p"], ["user: a", "user: \"\", password: p", "user: 1, password: p"]),
        new("authorization", "username", ["username: a, pass: p"], ["username: a", "username: \"\", pass: p"]),
        new("authorization", "password", ["user: a, password: HASH", "user: a, password: \"HASH\""], ["user: a, password: \"\"", "user: a, password: 1", "password: p"]),
        new("authorization", "pass", ["user: a, pass: p"], ["user: a, pass: \"\"", "pass: p"]),
        .. OfCallout(),
        Case("authorization", "token", ["t", "\"HASH\""], ["\"\"", "1", "[t]"]),
        new("authorization", "timeout", ["token: t, timeout: 1", "token: t, timeout: 0.5", "token: t, timeout: \"3s\""], ["token: t, timeout: 0", "token: t, timeout: x"]),
        .. Aliases(
            "authorization", ["default_permissions", "default_permission", "permissions"],
            ["token: t, KEY { publish: x, subscribe: [\"a.>\", \"b q\"] }"], ["token: t, KEY: x", "token: t, KEY { publsh: x }", "token: t, KEY { publish: \"a..b\" }"]),
        .. Aliases("users", ["user", "username"], ["KEY: a, password: p"], ["KEY: \"\", password: p", "KEY: 1, password: p", "KEY: a"]),
        .. Aliases("users", ["password", "pass"], ["user: a, KEY: p"], ["user: a, KEY: \"\"", "user: a, KEY: 1", "KEY: p"]),
        Case("users", "nkey", ["NKEY"], ["U1", "\"\"", "1", "NKEY, user: a"]),
        .. Aliases(
            "users", ["allowed_connection_types", "connection_types", "clients"],
            ["user: a, password: p, KEY: [STANDARD, \"websocket\", MQTT]", "user: a, password: p, KEY: IN_PROCESS", "user: a, password: p, KEY: []"],
            ["user: a, password: p, KEY: [NONE]", "user: a, password: p, KEY: true"]),
        .. Aliases(
            "users", ["permissions", "permission", "authorization"],
            ["user: a, password: p, KEY { publish: [\"x\"], allow_responses: true }"], ["user: a, password: p, KEY: x", "user: a, password: p, KEY { publish: \"\" }"]),
        .. Aliases(
            "permissions", ["publish", "pub", "import"], ["KEY: a.b", "KEY: [\"a.*\", \"b.>\"]", "KEY: []", "KEY { allow: a, deny: [b] }"],
            ["KEY: \"a b\"", "KEY: \"a..b\"", "KEY: 1", "KEY { alow: x }"]),
        .. Aliases(
            "permissions", ["subscribe", "sub", "export"], ["KEY: a.b", "KEY: \"a.> q\"", "KEY { allow: \"a q\", deny: [] }"],
            ["KEY: \"a b c\"", "KEY: \"a \"", "KEY: \".\"", "KEY: true"]),
        .. Aliases("permissions", ["allow_responses", "publish_allow_responses"], ["KEY: true", "KEY: false", "KEY { max: 3 }"], ["KEY: 1", "KEY: x", "KEY { most: 1 }"]),
        Case("publish and subscribe", "allow", ["a", "[a, \"b.>\"]"], ["\"a..b\"", "1", "{ }"]),
        Case("publish and subscribe", "deny", ["a", "[]"], ["\"\"", "1", "{ }"]),
        .. new[] { "max", "max_msgs", "max_messages", "max_responses" }.Select(static key => Case("allow_responses", key, ["5", "-1", "0"], ["-2", "x"])),
        .. new[] { "expires", "expiration", "ttl" }.Select(static key => Case("allow_responses", key, ["\"1m\"", "5s"], NotASpan)),
    ];

    private static IEnumerable<KeyCase> OfAccounts() =>
    [
        Case("accounts", "users", ["[ { user: a, password: p } ]", "[ { nkey: NKEY } ]"], ["x", "[ { user: a } ]", "[ x ]"]),
        .. Aliases("accounts", ["default_permissions", "default_permission", "permissions"], ["KEY { publish: x }"], ["KEY: x", "KEY { x: y }"]),
        Case("accounts", "limits", ["{ max_connections: 5 }", "{ }"], ["5", "[]", "{ conns: 5 }"]),
        .. new[] { "max_connections", "max_conn", "max_subscriptions", "max_subs", "max_leafnodes", "max_leafs" }
            .Select(static key => Case("limits", key, ["5", "0", "-1"], ["-2", "x", "\"5\""])),
        .. new[] { "max_payload", "max_pay" }.Select(static key => Case("limits", key, ["5", "0", "-1", "1KB"], ["-2", "x", "65MB"])),
        Case("accounts", "exports", ["[ { stream: \"a.>\" }, { service: q } ]", "[]"], ["x", "{ stream: a }", "[ { } ]"]),
        Case("accounts", "imports", ["[ { stream: { account: B, subject: \"s.x\" } } ]", "[]"], ["x", "[ { } ]", "[ { stream: { account: C, subject: x } } ]"]),
        .. Aliases("accounts", ["mappings", "maps"], ["KEY { a: b }"], ["KEY: x", "KEY { a: 1 }", "KEY { a: \"b.$1\" }"]),
        .. Aliases("mappings", ["destination", "dest"], ["KEY: b, weight: 1"], ["KEY: 1, weight: 1", "KEY: \"\", weight: 1", "KEY: \"b c\", weight: 1"]),
        Case("accounts", "nkey", ["ABJHLOVMPA4CI6R5KLNGOB4GSLNIY7IOUPAJC4YFNDLQVIOBYQGUWVLA"], ["NKEY", "x", "1"]),
        Case("mappings", "weight", ["0%, dest: b", "\"7%\", dest: b", "100, dest: b"], ["x, dest: b", "101, dest: b", "-1, dest: b", "0.5, dest: b", "[], dest: b"]),
        Case("mappings", "cluster", ["c, dest: b, weight: 1", "\"\", dest: b, weight: 1"], ["1, dest: b, weight: 1"]),
        Case("exports", "stream", ["\"a.>\""], ["\"\"", "\"a..b\"", "1", "a, service: b"]),
        Case("exports", "service", ["\"a.*\""], ["\"\"", "\"a..b\"", "1"]),
        new("exports", "accounts", ["stream: a, accounts: [B]", "stream: a, accounts: B"], ["stream: a, accounts: 1", "stream: a, accounts: [1]"]),
        .. Aliases("exports", ["response_type", "response"], ["service: a, KEY: single", "service: a, KEY: Chunked"], ["service: a, KEY: x", "stream: a, KEY: stream"]),
        .. Aliases("exports", ["threshold", "response_threshold"], ["service: a, KEY: \"5s\""], ["service: a, KEY: x", "stream: a, KEY: \"5s\""]),
        Case("imports", "stream", ["{ account: B, subject: \"s.x\" }"], ["x", "{ account: B }", "{ account: B, subject: \"none.x\" }"]),
        Case("imports", "service", ["{ account: B, subject: \"q.x\" }"], ["x", "{ subject: \"q.x\" }", "{ account: B, subject: \"s.x\" }"]),
        new(
            "imports", "to", ["stream: { account: B, subject: \"s.*\" }, to: \"t.$1\"", "service: { account: B, subject: \"q.x\" }, to: x"],
            ["stream: { account: B, subject: \"s.*\" }, to: 1", "stream: { account: B, subject: \"s.*\" }, to: \"a..b\""]),
        new(
            "imports", "prefix", ["stream: { account: B, subject: \"s.x\" }, prefix: from"],
            ["stream: { account: B, subject: \"s.x\" }, prefix: 1", "service: { account: B, subject: \"q.x\" }, prefix: from"]),
        new("imports", "share", ["service: { account: B, subject: \"q.x\" }, share: true"], ["service: { account: B, subject: \"q.x\" }, share: x"]),
        new("The stream or service of an import", "account", ["account: B, subject: \"s.x\""], ["account: \"\", subject: \"s.x\"", "account: C, subject: \"s.x\"", "account: 1, subject: s"]),
        new("The stream or service of an import", "subject", ["account: B, subject: \"s.x\""], ["account: B, subject: \"\"", "account: B, subject: \"x\"", "account: B, subject: 1"]),
    ];

    private static IEnumerable<KeyCase> OfTls() =>
    [
        new("tls", "cert_file", ["CERTIFICATE"], ["key_file: \"KEYFILE\"", "cert_file: \"none\", key_file: \"KEYFILE\"", "cert_file: 1", "cert_file: \"KEYFILE\", key_file: \"KEYFILE\""]),
        new("tls", "key_file", ["CERTIFICATE"], ["cert_file: \"CERT\"", "cert_file: \"CERT\", key_file: \"none\"", "cert_file: \"CERT\", key_file: \"CERT\"", "cert_file: \"CERT\", key_file: 1"]),
        WithCertificate("tls", "verify", ["true", "false"], NotAFlag),
        WithCertificate("tls", "ca_file", ["\"CERT\""], ["\"none\"", "1", "\"KEYFILE\", verify: true"]),
        WithCertificate("tls", "verify_and_map", ["true"], NotAFlag),
        WithCertificate(
            "tls", "pinned_certs",
            ["[]", "[\"a8f407340dcc719864214b85ed96f98d16cbffa8f509d9fa4ca237b7bb3f9c32\"], verify: true, ca_file: \"CERT\""],
            ["[abc], verify: true", "1", "[\"a8f407340dcc719864214b85ed96f98d16cbffa8f509d9fa4ca237b7bb3f9c32\"]"]),
        WithCertificate("tls", "timeout", ["1", "0.5", "\"3s\""], ["0", "-1", "x"]),
        WithCertificate("tls", "handshake_first", ["true", "false", "auto", "\"300ms\""], ["1", "x", "\"0s\""]),
        WithCertificate("tls", "min_version", ["\"1.2\"", "1.3"], ["\"1.1\"", "1", "x"]),
        WithCertificate("tls", "cipher_suites", ["[\"TLS_AES_128_GCM_SHA256\", \"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\"]"], ["[\"X\"]", "1"]),
        WithCertificate("tls", "curve_preferences", ["[\"CurveP256\", \"X25519\"]"], ["[\"P1\"]", "1"]),
        new("tls", "allow_non_tls", ["^allow_non_tls: true\ntls { CERTIFICATE }"], ["^allow_non_tls: 1\ntls { CERTIFICATE }", "^allow_non_tls: true\ntls { CERTIFICATE, handshake_first: true }"]),
        new("tls", "tls", ["CERTIFICATE"], ["x: y"]),
    ];

    private static IEnumerable<KeyCase> OfStreams() =>
    [
        new(
            "File", "jetstream",
            ["store_dir: \"FOLDER/js\"\njetstream: true", "jetstream: disabled", "jetstream { store_dir: \"FOLDER/js\" }", "jetstream { enabled: false, x: y }"],
            ["jetstream: maybe", "jetstream: 1", "jetstream: []", "jetstream { x: y }"]),
        .. Aliases("File", ["store_dir", "storedir"], ["jetstream: true\nKEY: \"FOLDER/js\"", "KEY: \"\""], ["KEY: 1", "KEY: []"]),
        .. Aliases("jetstream", ["store_dir", "storedir", "store"], ["KEY: \"FOLDER/js2\"", "KEY: \"\""], ["KEY: 1", "KEY: true"]),
        .. Aliases("jetstream", ["max_mem", "max_mem_store", "max_memory_store", "max_file", "max_file_store"], ["KEY: 64MB", "KEY: 0", "KEY: -1"], ["KEY: -2", "KEY: x", "KEY: 1.5"]),
        Case("jetstream", "domain", ["hub", "\"\""], ["\"a.b\"", "\"a b\"", "\"*\"", "1"]),
        .. Aliases("jetstream", ["strict"], ["KEY: true"], ["KEY: false", "KEY: 3"]),
        .. Aliases("jetstream", ["sync_interval", "sync"], ["KEY: always"], ["KEY: \"2m\"", "KEY: 1", "KEY: never"]),
        .. Aliases("jetstream", ["enabled", "enable"], ["KEY: true", "KEY: false"], ["KEY: 1", "KEY: x"]),
        Case("accounts", "jetstream", ["enabled", "true", "false", "{ }", "{ enabled: false }"], ["1", "maybe", "[]", "{ x: y }"]),
        .. Aliases(
            "jetstream of an account",
            ["max_mem", "max_memory", "mem", "memory", "max_file", "max_store", "max_disk", "store", "disk", "mem_max_stream_bytes", "memory_max_stream_bytes", "disk_max_stream_bytes", "store_max_stream_bytes"],
            ["KEY: 64MB", "KEY: 0", "KEY: -1"],
            ["KEY: -2", "KEY: x", "KEY: 1.5"]),
        .. Aliases("jetstream of an account", ["max_streams", "streams", "max_consumers", "consumers", "max_ack_pending"], ["KEY: 1", "KEY: 0", "KEY: -1"], ["KEY: -2", "KEY: x", "KEY: 1.5"]),
        .. Aliases("jetstream of an account", ["max_bytes_required", "max_stream_bytes", "max_bytes"], ["KEY: true", "KEY: false"], ["KEY: 1", "KEY: x"]),
        .. Aliases("jetstream of an account", ["enabled", "enable"], ["KEY: true", "KEY: false"], ["KEY: 1", "KEY: x"]),
    ];

    private static IEnumerable<KeyCase> OfWebSocket() =>
    [
        new("websocket", "listen", ["listen: -1, no_tls: true", "listen: \"127.0.0.1:-1\", no_tls: true", "listen: \"[::]:-1\", no_tls: true"], ["listen: 70000, no_tls: true", "listen: x, no_tls: true", "listen: 0, no_tls: true"]),
        new("websocket", "host", ["host: 0.0.0.0, port: -1, no_tls: true", "host: \"*\", port: -1, no_tls: true"], ["host: \"a b\", port: -1, no_tls: true", "host: 1, port: -1, no_tls: true"]),
        new("websocket", "net", ["net: \"::1\", port: -1, no_tls: true"], ["net: \"\", port: -1, no_tls: true"]),
        new("websocket", "port", ["port: FREEPORT, no_tls: true", "port: -1, no_tls: true"], ["port: 70000, no_tls: true", "port: \"1\", no_tls: true", "port: 0, no_tls: true", "no_tls: true"]),
        new(
            "websocket", "tls", ["port: -1, tls { CERTIFICATE, verify: true, ca_file: \"CERT\" }", "port: -1, tls { CERTIFICATE, verify_and_map: true }"],
            ["port: -1, tls { }", "port: -1, tls: true", "port: -1, tls { CERTIFICATE, handshake_first: true }"]),
        new("websocket", "no_tls", ["port: -1, no_tls: true"], ["port: -1, no_tls: 1", "port: -1, no_tls: false"]),
        .. Open("allowed_origins", ["[\"https://a.example\", \"http://b.example:81\"]", "\"https://a.example\"", "[]"], ["x", "[1]", "1"]),
        .. Open("same_origin", ["true"], NotAFlag),
        .. Open("compression", ["true"], NotAFlag),
        .. Open("compress", ["true"], NotAFlag),
        .. Open("handshake_timeout", ["\"3s\"", "5"], ["0", "x", "\"0s\""]),
        .. Open("advertise", ["\"ws.example:443\""], ["1", "true"]),
        new(
            "websocket", "no_auth_user", ["^authorization { users: [ { user: a } ] }\nno_auth_user: a\nwebsocket { port: -1, no_tls: true, no_auth_user: a }"],
            ["port: -1, no_tls: true, no_auth_user: a"]),
    ];

    private static IEnumerable<KeyCase> OfZeroMq() =>
    [
        new(
            "zeromq", "publishers",
            ["publishers: \"tcp://127.0.0.1:*\", OTHER_SUBSCRIBERS", "publishers: [\"bind tcp://*:*\", \"connect tcp://127.0.0.1:9\"], OTHER_SUBSCRIBERS",
                "publishers: \"ipc://FOLDER/p\", OTHER_SUBSCRIBERS", "publishers: \"tcp://[::1]:*\", OTHER_SUBSCRIBERS"],
            ["publishers: x", "publishers: \"udp://127.0.0.1:1\"", "publishers: \"connect tcp://*:1\"", "publishers: 1", "publishers: \"tcp://127.0.0.1:7\", subscribers: \"tcp://*:7\""]),
        new(
            "zeromq", "subscribers", ["subscribers: \"bind tcp://0.0.0.0:*\", OTHER_PUBLISHERS", "subscribers: [\"ipc://FOLDER/s\"], OTHER_PUBLISHERS"],
            ["subscribers: \"tcp://h\"", "subscribers: [1]", "subscribers: \"ipc://\""]),
        new(
            "zeromq", "user", ["^authorization { user: u, password: p }\nzeromq { user: u, OTHER_PUBLISHERS, OTHER_SUBSCRIBERS }"],
            ["user: u", "^authorization { token: t }\nzeromq { user: u }", "^authorization { user: u, password: p }\nzeromq { user: u, url: \"NATSURL\" }"]),
        new(
            "publishers and subscribers", "endpoint", ["endpoint: \"tcp://127.0.0.1:*\"", "endpoint: [\"bind tcp://*:*\", \"connect tcp://127.0.0.1:9\"]"],
            ["endpoint: x", "endpoint: 1", "endpoint: \"connect tcp://*:1\""]),
        new(
            "publishers and subscribers", "user", ["endpoint: \"tcp://127.0.0.1:*\", user: v"],
            [
                "user: w", "user: 1",
                "^authorization { user: u, password: p }\nzeromq { publishers { user: u } }",
                "^accounts { A { users: [ { user: a, password: p } ] }\nB { users: [ { user: b, password: p } ] } }\nzeromq { user: a, publishers { user: b } }",
            ]),
        new(
            "publishers and subscribers", "allow", ["endpoint: \"tcp://127.0.0.1:*\", allow: [\"10.0.0.0/8\", \"::1\"]", "endpoint: \"ipc://FOLDER/a\", allow: \"127.0.0.1\""],
            ["allow: x", "allow: \"10.0.0.0/40\"", "allow: 1", "allow: []", "allow: \"10.1\"", "allow: \"1\"", "allow: \"010.1.0.0/16\"", "allow: \"0x7f.1\""]),
        .. Bridge("prefix", ["a", "\"plant.zmq\""], ["\"a.*\"", "\"\"", "\"a b\"", "1", "LONGPREFIX"]),
        .. Bridge("delimiter", ["\"/\"", "\":\""], ["ab", "\"\"", "\"é\"", "1"]),
        .. Bridge("single_frame_delimiter", ["\",\""], ["ab", "\"\"", "1"]),
        .. Bridge("echo", ["false", "true"], NotAFlag),
        .. Bridge("send_high_water_mark", ["64KB"], ["100", "x"]),
        .. Bridge("max_message_size", ["2KB"], ["0", "65MB", "x"]),
        .. Bridge("max_peers", ["5"], ["0", "x"]),
        .. Bridge("url", ["\"NATSURL\"", "[\"NATSURL\", \"nats://127.0.0.1:9\", \"ws://127.0.0.1:9\", \"wss://127.0.0.1:9\"]"], ["\"http://x\"", "x", "1", "[]", "[1]"]),
        .. Bridge("credentials", ["\"SEEDFILE\", url: \"NATSURL\""], ["\"FOLDER/none.creds\", url: \"NATSURL\"", "\"SEEDFILE\"", "1"]),
        .. Bridge(
            "security", ["{ mechanism: null }", "{ mechanism: curve, role: server, secret_key_file: \"ZSECRET\" }"],
            ["true", "{ }", "{ mechanism: curve }", "{ mechanism: curve, role: server }"]),
        .. Bridge("tls", ["{ }, url: \"NATSURL\""], ["{ }", "true, url: \"NATSURL\"", "{ verify: true }, url: \"NATSURL\""]),
        new(
            "zeromq", "routes",
            [
                "routes: [ { pattern: worker, endpoint: \"tcp://127.0.0.1:*\", subject: a } ]",
                "routes: [ { pattern: pubsub, name: p, OTHER_PUBLISHERS } ], OTHER_PUBLISHERS, OTHER_SUBSCRIBERS",
            ],
            [
                "routes: []", "routes: x", "routes: [x]", "routes: { }", "routes: [ { } ]",
                "routes: [ { pattern: pubsub, OTHER_PUBLISHERS }, { pattern: pubsub, OTHER_PUBLISHERS } ]",
                "routes: [ { pattern: pubsub, OTHER_PUBLISHERS } ], OTHER_PUBLISHERS",
                "routes: [ { pattern: pubsub, publishers: \"tcp://127.0.0.1:7\", subscribers: \"tcp://*:7\" } ]",
            ]),
    ];

    private static KeyCase Case(string section, string key, string[] valid, string[] invalid)
        => new(section, key, [.. valid.Select(v => $"{key}: {v}")], [.. invalid.Select(v => $"{key}: {v}")]);

    private static IEnumerable<KeyCase> Aliases(string section, string[] keys, string[] valid, string[] invalid)
        => keys.Select(key => new KeyCase(
            section, key,
            [.. valid.Select(v => v.Replace("KEY", key, StringComparison.Ordinal))],
            [.. invalid.Select(v => v.Replace("KEY", key, StringComparison.Ordinal))]));

    private static KeyCase WithCertificate(string section, string key, string[] valid, string[] invalid)
        => new(section, key, [.. valid.Select(v => $"CERTIFICATE, {key}: {v}")], [.. invalid.Select(v => $"CERTIFICATE, {key}: {v}")]);

    private static IEnumerable<KeyCase> Open(string key, string[] valid, string[] invalid) =>
    [
        new("websocket", key, [.. valid.Select(v => $"port: -1, no_tls: true, {key}: {v}")], [.. invalid.Select(v => $"port: -1, no_tls: true, {key}: {v}")]),
    ];

    private static IEnumerable<KeyCase> Bridge(string key, string[] valid, string[] invalid) =>
    [
        new(
            "zeromq", key, [.. valid.Select(v => $"OTHER_PUBLISHERS, OTHER_SUBSCRIBERS, {key}: {v}")],
            [.. invalid.Select(v => $"OTHER_PUBLISHERS, OTHER_SUBSCRIBERS, {key}: {v}")]),
    ];
}
