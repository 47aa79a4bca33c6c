namespace Broker.Cli.Tests.Documentation;

/// <summary>The cases of all keys of the bridge's routes, with the placeholders of <see cref="KeyCases"/>.</summary>
internal static class RouteCases
{
    private const string Any = "\"tcp://127.0.0.1:*\"";

    private static readonly string[] NotAFlag = ["1", "x"];
    private static readonly string[] NotAText = ["1", "true", "[]", "{ }"];
    private static readonly string[] NotASpan = ["0", "\"-1s\"", "x", "true"];
    private static readonly string[] NotASize = ["0", "x", "\"1\""];
    private static readonly string[] NotEndpoints = ["x", "1", "[1]", "\"connect tcp://*:1\"", "{ endpoint: x }", "{ user: u, endpoint: \"tcp://127.0.0.1:*\" }"];

    private static readonly string[] Endpoints =
    [
        Any, "[\"bind tcp://127.0.0.1:*\", \"connect tcp://127.0.0.1:9\"]", "\"ipc://FOLDER/r\"",
        "[ { endpoint: \"tcp://127.0.0.1:*\", allow: \"10.0.0.0/8\" }, { endpoint: \"tcp://127.0.0.1:*\", allow: [\"::1\"] }, \"tcp://127.0.0.1:*\" ]",
    ];

    public static IEnumerable<KeyCase> All =>
    [
        .. OfTls(), .. OfRoutes(), .. OfSecurity(), .. OfPubSub(), .. OfRequests("pattern: request"), .. OfRequests("pattern: worker"), .. OfPushPull(), .. OfStream(), .. OfRaw(),
    ];

    private static IEnumerable<KeyCase> OfTls() =>
    [
        new("tls of url", "ca_file", ["ca_file: \"CERT\""], ["ca_file: \"FOLDER/none.pem\"", "ca_file: 1"]),
        new("tls of url", "cert_file", ["cert_file: \"CERT\", key_file: \"KEYFILE\""], ["cert_file: \"CERT\"", "cert_file: 1, key_file: \"KEYFILE\""]),
        new("tls of url", "key_file", ["key_file: \"KEYFILE\", cert_file: \"CERT\""], ["key_file: \"KEYFILE\"", "key_file: \"none\", cert_file: \"CERT\""]),
    ];

    private static IEnumerable<KeyCase> OfRoutes() =>
    [
        new(
            "routes", "pattern",
            [
                $"pattern: pubsub, subscribers: {Any}", $"pattern: REQUEST, endpoint: {Any}, subject: a", $"pattern: worker, endpoint: {Any}, subject: \"a.*\"",
                $"pattern: pushpull, pullers: {Any}, subject: a", $"pattern: router, endpoint: {Any}, to_subject: a, from_subject: b",
                $"pattern: pair, endpoint: {Any}, to_subject: a, from_subject: b",
            ],
            ["pattern: x", "pattern: 1", "name: a", "pattern: worker, subject: a", "pattern: pubsub"]),
        new(
            "routes", "name", [$"pattern: pubsub, subscribers: {Any}, name: plant-1.a"],
            [.. ((string[])["\"\"", "\"a b\"", "1", "LONGPREFIX"]).Select(v => $"pattern: pubsub, subscribers: {Any}, name: {v}")]),
        new(
            "routes", "security",
            [
                $"pattern: pubsub, subscribers: {Any}, security {{ mechanism: plain, role: server, users_file: \"ZUSERS\" }}",
                $"pattern: pushpull, pullers: {Any}, subject: a, security {{ mechanism: curve, role: client, server_key_file: \"ZPUBLIC\" }}",
                $"pattern: request, endpoint: {Any}, subject: a, security {{ mechanism: curve, role: server, secret_key_file: \"ZCERTIFIED\", clients: \"ZPUBLIC\" }}",
            ],
            [.. ((string[])["x", "{ }", "{ mechanism: x }", "{ mechanism: plain }"]).Select(v => $"pattern: pubsub, subscribers: {Any}, security: {v}")]),
    ];

    private static IEnumerable<KeyCase> OfSecurity()
    {
        const string Server = "mechanism: curve, role: server, ";
        const string Client = "mechanism: curve, role: client, ";
        string[] noFile = ["1", "\"\"", "\"FOLDER/none\"", "\"FOLDER\"", "\"ZUSERS\""];
        return
        [
            new("security", "mechanism", ["mechanism: null", $"{Server} secret_key_file: \"ZSECRET\""], ["mechanism: x", "mechanism: 1", "role: server", "mechanism: null, role: server"]),
            new("security", "role", [$"{Client} server_key_file: \"ZPUBLIC\""], ["mechanism: curve, role: x", "mechanism: plain, role: true"]),
            Case("security", Server, "secret_key_file", ["\"ZSECRET\"", "\"ZCERTIFIED\"", "\"ZSECRET\", clients: \"ZPUBLIC\""], [.. noFile, "\"ZSECRET\", users_file: \"ZUSERS\""]),
            Case("security", $"{Server} secret_key_file: \"ZSECRET\", ", "clients", ["\"ZPUBLIC\"", "\"FOLDER/clients\""], ["1", "\"FOLDER/none\"", "\"ZUSERS\""]),
            Case("security", Client, "server_key_file", ["\"ZPUBLIC\"", "\"ZCERTIFIED\", secret_key_file: \"ZSECRET\""], [.. noFile, "\"ZPUBLIC\", clients: \"ZPUBLIC\""]),
            Case("security", "mechanism: plain, role: server, ", "users_file", ["\"ZUSERS\""], ["1", "\"FOLDER/none\"", "\"ZPASSWORD\"", "\"ZUSERS\", user: a"]),
            Case("security", "mechanism: plain, role: client, password_file: \"ZPASSWORD\", ", "user", ["a"], ["1", "\"LONGPREFIXLONGPREFIX\""]),
            Case("security", "mechanism: plain, role: client, user: a, ", "password_file", ["\"ZPASSWORD\""], ["1", "\"FOLDER/none\""]),
        ];
    }

    private static IEnumerable<KeyCase> OfPubSub()
    {
        const string Section = "pattern: pubsub";
        return
        [
            Case(Section, "", "publishers", Endpoints, NotEndpoints),
            Case(Section, "", "subscribers", Endpoints, NotEndpoints),
            With("topics", ["a", "[a, b.c]", "\"\""], ["1", "[1]"]),
            With("prefix", ["a", "\"plant.zmq\""], ["\"a.*\"", "1", "LONGPREFIX"]),
            With("delimiter", ["\"/\""], ["ab", "1"]),
            With("single_frame_delimiter", ["\",\"", "none"], ["ab", "1"]),
            With("max_single_frame_topic", ["0", "64"], ["-1", "x"]),
            With("max_subject_length", ["100"], ["35", "36", "1025", "x"]),
            With("max_topic_bytes", ["1KB"], ["0", "2MB"]),
            With("max_frames", ["10"], NotASize),
            With("verify_topic", ["false"], NotAFlag),
            With("refuse_foreign_subjects", ["true"], NotAFlag),
            With("max_prefixes", ["10"], ["-1", "x"]),
            With("max_prefix_memory", ["1MB"], ["-1", "x"]),
            With("max_filters", ["0"], ["-1", "x"]),
            With("echo", ["false"], NotAFlag),
            With("send_high_water_mark", ["64KB"], ["100", "x"]),
            With("max_message_size", ["2KB"], ["0", "65MB"]),
            With("max_peers", ["5"], NotASize),
            With("heartbeat", ["\"5s\"", "never", "NEVER"], [.. NotASpan, "\"0s\""]),
            With("accept_bridges", ["true"], NotAFlag),
            With("trace_frame", ["true"], NotAFlag),
            With("last_values", ["{ }", "{ max_topics: 5, max_bytes: 64KB }"], ["true", "{ topics: 5 }"]),
            Case("last_values of a pubsub route", "", "max_topics", ["5"], NotASize),
            Case("last_values of a pubsub route", "", "max_bytes", ["64KB"], ["100", "x"]),
        ];

        static KeyCase With(string key, string[] valid, string[] invalid) => Case(Section, $"publishers: {Any}, ", key, valid, invalid);
    }

    private static IEnumerable<KeyCase> OfRequests(string section)
    {
        bool isWorker = section == "pattern: worker";
        return
        [
            Case(section, "subject: a, ", "endpoint", Endpoints, NotEndpoints),
            Case(
                section, $"endpoint: {Any}, ", "subject", ["a.b", .. isWorker ? (string[])["\"a.>\""] : []],
                ["\"a b\"", "1", "\"\"", "a, prefix: b", .. isWorker ? [] : (string[])["\"a.*\""]]),
            Case(section, $"endpoint: {Any}, ", "prefix", ["a", "\"a.b\", delimiter: \"/\""], ["\"a.*\"", "1", "LONGPREFIX"]),
            Case(section, $"endpoint: {Any}, prefix: a, ", "delimiter", ["\"/\""], ["ab", "1"]),
            With("time_to_live", ["\"5s\""], [.. NotASpan, "\"25h\""]),
            With("max_pending", ["100"], [.. NotASize, "2000000"]),
            With("max_message_size", ["2KB"], ["0", "65MB"]),
            With("max_frames", ["10"], NotASize),
            With("max_peers", ["5"], NotASize),
            With("high_water_mark", ["10"], NotASize),
            With("heartbeat", ["\"5s\"", "never", "NEVER"], [.. NotASpan, "\"0s\""]),
            .. isWorker
                ?
                [
                    With("queue_group", ["g"], [.. NotAText, "\"a b\"", "\"\""]),
                    With("on_worker_loss", ["reply", "Silence"], ["x", "1"]),
                    With("max_pending_per_worker", ["10"], NotASize),
                    With("envelope", ["empty", "Ready", "number"], ["x", "1"]),
                    With("max_queued", ["1MB"], NotASize),
                    With("shadow", ["true"], NotAFlag),
                ]
                : (KeyCase[])
                [
                    With("timeout_reply", ["late", "\"\""], NotAText),
                    With("no_responders", ["hold", "drop", "reply"], ["x", "1"]),
                    With("no_responders_reply", ["nobody"], NotAText),
                    With("max_pending_per_client", ["10"], NotASize),
                    With("max_kept", ["1MB"], NotASize),
                    With("max_pending_bytes", ["1MB"], NotASize),
                    With("max_pending_bytes_per_client", ["1MB"], NotASize),
                    With("service_error_reply", ["failed", "\"\""], NotAText),
                ],
        ];

        KeyCase With(string key, string[] valid, string[] invalid) => Case(section, $"endpoint: {Any}, subject: a, ", key, valid, invalid);
    }

    private static IEnumerable<KeyCase> OfPushPull()
    {
        const string Section = "pattern: pushpull";
        return
        [
            Case(Section, $"pullers: {Any}, ", "subject", ["a.b"], ["\"a.*\"", "1", "\"a b\"", "\"\""]),
            Case(Section, "subject: a, ", "pushers", Endpoints, NotEndpoints),
            Case(Section, "subject: a, ", "pullers", Endpoints, NotEndpoints),
            With("window", ["10"], [.. NotASize, "2000000"]),
            With("window_bytes", ["1MB"], NotASize),
            With("max_queued", ["1MB"], NotASize),
            With("keep_order", ["true"], NotAFlag),
            With("max_message_size", ["2KB"], ["0", "65MB"]),
            With("max_frames", ["10"], NotASize),
            With("max_peers", ["5"], NotASize),
            With("high_water_mark", ["10"], NotASize),
            With("high_water_bytes", ["1MB"], NotASize),
            With("heartbeat", ["\"5s\"", "never", "NEVER"], [.. NotASpan, "\"0s\""]),
            With("peer_timeout", ["\"5s\""], [.. NotASpan, "\"1s\"", "\"2.9s\"", "\"25h\""]),
            With("stop_timeout", ["\"100ms\"", "\"0s\""], NotASpan),
            Case(Section, $"subject: a, pullers: {Any}, ", "shadow", ["true"], [.. NotAFlag, $"true, pushers: {Any}", "true, stream { name: s }"]),
            With("reserve_subjects", ["false"], NotAFlag),
            With("stream", ["{ name: s }, stop_timeout: \"100ms\""], ["{ }", "x", "{ name: s }, keep_order: true"]),
        ];

        static KeyCase With(string key, string[] valid, string[] invalid) => Case(Section, $"subject: a, pushers: {Any}, ", key, valid, invalid);
    }

    private static IEnumerable<KeyCase> OfRaw()
    {
        const string Section = "pattern: router, dealer or pair";
        return
        [
            Case(Section, "to_subject: a, from_subject: b, ", "endpoint", Endpoints, NotEndpoints),
            Case(Section, $"endpoint: {Any}, from_subject: b, ", "to_subject", ["a.b"], ["\"a.*\"", "1", "b", "\"\""]),
            Case(Section, $"endpoint: {Any}, to_subject: b, ", "from_subject", ["a.b", "\"a.>\""], ["\"a b\"", "1", "b", "\">\""]),
            With("queue_group", ["g"], ["1", "\"a b\""]),
            With("carry_identities", ["true"], NotAFlag),
            With("max_message_size", ["2KB"], ["0", "65MB"]),
            With("max_frames", ["10"], NotASize),
            With("max_peers", ["5"], NotASize),
            With("high_water_mark", ["10"], NotASize),
            With("heartbeat", ["\"5s\"", "never", "NEVER"], [.. NotASpan, "\"0s\""]),
        ];

        static KeyCase With(string key, string[] valid, string[] invalid)
            => Case(Section, $"endpoint: {Any}, to_subject: a, from_subject: b, ", key, valid, invalid);
    }

    // The server has no streams, so the route waits for a server with streams.
    private static IEnumerable<KeyCase> OfStream() =>
    [
        OfStream("name", "", ["work"], ["\"a.b\"", "1", "\"\""]),
        OfStream("consumer", "name: s, ", ["c"], ["\"a b\"", "1"]),
        OfStream("create", "name: s, ", ["false"], NotAFlag),
        OfStream("domain", "name: s, ", ["hub"], ["\"a b\"", "1"]),
        OfStream("replicas", "name: s, ", ["3"], ["0", "6", "x"]),
        OfStream("max_bytes", "name: s, ", ["1MB", "0"], ["x"]),
        OfStream("ack_wait", "name: s, ", ["\"5s\""], [.. NotASpan, "\"1s\"", "\"3.5s\""]),
    ];

    private static KeyCase OfStream(string key, string before, string[] valid, string[] invalid)
        => Case("stream of a pushpull route", before, key, valid, invalid);

    private static KeyCase Case(string section, string before, string key, string[] valid, string[] invalid)
        => new(section, key, [.. valid.Select(v => $"{before}{key}: {v}")], [.. invalid.Select(v => $"{before}{key}: {v}")]);
}
