using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Server;

namespace Broker.Cli.Tests.Configuration;

/// <summary>Tests that each key of a file for nats-server works or is refused with a reason.</summary>
public sealed class NatsServerFileTests
{
    private const string NoRoutes = "the broker does not form clusters";

    [Theory]
    [InlineData("cluster { name: c, listen: \"0.0.0.0:6222\", routes: [\"nats://a:6222\"] }", "cluster", NoRoutes)]
    [InlineData("gateway { name: g }", "gateway", NoRoutes)]
    [InlineData("leafnodes { port: 7422, min_version: \"2.9\" }", "min_version", "the links of leaf nodes have no such setting")]
    [InlineData("leafnodes { port: 7422, compression: s2_fast }", "compression", "the links of leaf nodes are not compressed")]
    [InlineData("leafnodes { remotes: [ { url: \"nats-leaf://h\", compression: x } ] }", "compression", "the links of leaf nodes are not compressed")]
    [InlineData("leafnodes { remotes: [ { url: \"nats-leaf://h\", tls { insecure: true } } ] }", "insecure", "the certificate of a remote is always checked")]
    [InlineData("leafnodes { remotes: [ { url: \"nats-leaf://h\", isolate: true } ] }", "isolate", "the links of leaf nodes have no such setting")]
    [InlineData("ocsp: true", "ocsp", "the broker does not staple OCSP responses")]
    [InlineData("routes: []", "routes", NoRoutes)]
    [InlineData("jetstream { key: secret }", "key", "the broker does not encrypt its files: use an encrypted disk")]
    [InlineData("jetstream { cipher: aes }", "cipher", "the broker does not encrypt its files: use an encrypted disk")]
    [InlineData("jetstream { limits { } }", "limits", "set the limits of a stream when you create it")]
    [InlineData("jetstream { max_outstanding_catchup: 1MB }", "max_outstanding_catchup", NoRoutes)]
    [InlineData("jetstream { max_buffered_msgs: 10 }", "max_buffered_msgs", "the broker bounds what waits for the disk in bytes by itself")]
    [InlineData("mqtt { port: 1883 }", "mqtt", "the broker does not serve MQTT clients")]
    [InlineData("default_sentinel: \"x\"", "default_sentinel", "a client without a JWT is always refused")]
    [InlineData("syslog: true", "syslog", "the broker logs to standard error, which a service manager collects, or to a file")]
    [InlineData("no_header_support: true", "no_header_support", "headers are always supported; clients without header support receive no headers")]
    [InlineData("proxies { trusted: [] }", "proxies", "the broker does not know which clients connect through a proxy")]
    [InlineData("accounts { A { exports: [ { service: \"a.*\", account_token_position: 2 } ] } }", "account_token_position", "list the accounts that may import in \"accounts\"")]
    [InlineData("authorization { users: [ { user: a, password: b, proxy_required: true } ] }", "proxy_required", "the broker does not know which clients connect through a proxy")]
    [InlineData("websocket { jwt_cookie: x }", "jwt_cookie", "a WebSocket client sends its JWT in its CONNECT, not in a cookie")]
    [InlineData("tls { connection_rate_limit: 10 }", "connection_rate_limit", "the number of connections is limited by max_connections of the whole server")]
    public void An_unsupported_key_is_refused_with_its_reason_and_position(string text, string key, string why)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind(text, out _));

        string problem = Assert.Single(e.Problems, p => p.ToString().Contains("supported", StringComparison.Ordinal)).ToString();
        Assert.StartsWith($"\"{key}\" is not supported: {why} at test.conf:1:", problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("jetstream: false")]
    [InlineData("jetstream: disabled")]
    [InlineData("jetstream { enabled: false, store_dir: x }")]
    [InlineData("accounts { A { jetstream: disabled, limits { } } }")]
    [InlineData("no_header_support: false")]
    [InlineData("no_sys_acc: false")]
    [InlineData("syslog: false")]
    [InlineData("cluster {}")]
    [InlineData("leafnodes {}")]
    [InlineData("leaf {}")]
    [InlineData("gateway {}")]
    [InlineData("mqtt {}")]
    [InlineData("mqtt: disabled")]
    [InlineData("ocsp: false")]
    [InlineData("default_js_domain {}")]
    [InlineData("tls {}\nallow_non_tls: true")]
    public void An_unsupported_feature_may_be_turned_off(string text) => Bind(text, out _);

    [Theory]
    [InlineData("jetstream: true", null, null, null, null)]
    [InlineData("jetstream: Enabled", null, null, null, null)]
    [InlineData("JetStream {}", null, null, null, null)]
    [InlineData("jetstream { enabled: true, store_dir: d }", "d", null, null, null)]
    [InlineData("jetstream { storedir: d, max_mem: 1MB, max_file: 2MB, domain: hub, sync_interval: always, strict: true }", "d", 1048576L, 2097152L, "hub")]
    [InlineData("jetstream { store: d, max_memory_store: 1, max_file_store: 2, sync: always }", "d", 1L, 2L, null)]
    [InlineData("jetstream { max_mem_store: -1, max_file: -1, domain: \"\" }", null, null, null, null)]
    public void Streams_are_configured_as_in_nats_server(string text, string? directory, long? memory, long? file, string? domain)
    {
        StreamsSettings streams = Bind(text, out List<ConfigProblem> warnings).Streams!;

        Assert.Equal(new StreamsSettings { Directory = directory, MaxMemory = memory, MaxFile = file, Domain = domain }, streams);
        Assert.Empty(warnings);
    }

    [Fact]
    public void The_directory_of_the_streams_may_be_outside_of_their_block()
    {
        ServeSettings settings = Bind("store_dir: d\njetstream: enabled", out _);

        Assert.Equal(("d", null), (settings.StoreDirectory, settings.Streams!.Directory));
        Assert.Null(Bind("storedir: d", out _).Streams);
    }

    [Theory]
    [InlineData("max_memory: 1KB, max_store: 2KB, max_streams: 3, max_consumers: 4", 1024L, 2048L, 3, 4)]
    [InlineData("max_mem: 1, max_file: 2, streams: 3, consumers: 4", 1L, 2L, 3, 4)]
    [InlineData("mem: 0, disk: 0, max_streams: 0, max_consumers: -1", 0L, 0L, null, null)]
    [InlineData("memory: -1, max_disk: -1", null, null, null, null)]
    public void An_account_has_limits_on_its_streams(string keys, long? memory, long? file, int? streams, int? consumers)
    {
        SecuritySettings security = Bind($"jetstream: true\naccounts {{ A {{ jetstream {{ {keys} }} }} }}", out _).Security!;

        Assert.Equal(new AccountStreamLimits { MaxMemory = memory, MaxFile = file, MaxStreams = streams, MaxConsumers = consumers }, security.AccountsWithStreams["A"]);
    }

    [Fact]
    public void An_account_has_limits_on_the_size_of_each_stream()
    {
        const string Keys = "max_ack_pending: 5, memory_max_stream_bytes: 1KB, disk_max_stream_bytes: 2KB, max_bytes_required: true";
        SecuritySettings security = Bind($"jetstream: true\naccounts {{ A {{ jetstream {{ {Keys} }} }} }}", out _).Security!;

        Assert.Equal(
            new AccountStreamLimits { MaxAckPending = 5, MaxMemoryStreamBytes = 1024, MaxFileStreamBytes = 2048, RequiresMaxBytes = true },
            security.AccountsWithStreams["A"]);
    }

    [Fact]
    public void With_accounts_only_those_that_the_file_names_have_streams()
    {
        const string Accounts = "accounts { A { jetstream: enabled }, B { jetstream { } }, C { jetstream: disabled }, D { } }";

        Assert.Equal(["A", "B"], StreamsSetup.AccountsOf(Bind("jetstream: true\n" + Accounts, out _).Security).Keys);
        Assert.Equal(["$G"], StreamsSetup.AccountsOf(Bind("accounts { $SYS { } }", out _).Security).Keys);
        Bind(Accounts, out List<ConfigProblem> warnings);
        Assert.StartsWith("\"jetstream\" of an account has no effect without \"jetstream\" of the server", Assert.Single(warnings).ToString(), StringComparison.Ordinal);
        ConfigException e = Assert.Throws<ConfigException>(() => Bind("accounts { S { jetstream: true } }\nsystem_account: S", out _));
        Assert.StartsWith("the system account \"S\" cannot have \"jetstream\" at test.conf:1:", Assert.Single(e.Problems).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no_sys_acc: true", "\"no_sys_acc\" has no effect: the system account exists, but nobody can log in to it")]
    [InlineData("no_system: true\naccounts { A { users: [ { user: a, password: b } ] } }", "\"no_system\" has no effect")]
    [InlineData("max_closed_clients: 7", "\"max_closed_clients\" has no effect: the last 10,000 closed connections are kept")]
    [InlineData("leafnodes { authorization { user: a, password: b } }", "\"authorization\" of \"leafnodes\" has no effect without \"port\" or \"listen\"")]
    [InlineData("leafnodes { host: 127.0.0.1, advertise: \"hub:7422\" }", "\"advertise\" of \"leafnodes\" has no effect without \"port\" or \"listen\"")]
    [InlineData("server_metadata { a: b }", "\"server_metadata\" has no effect")]
    [InlineData("accounts { A { exports: [ { service: q, latency: { sampling: 50%, subject: l } } ] } }", "\"latency\" has no effect")]
    [InlineData("accounts { A { exports: [ { service: q, allow_trace: true } ] } }", "\"allow_trace\" has no effect")]
    [InlineData("accounts { A { nkey: ABJHLOVMPA4CI6R5KLNGOB4GSLNIY7IOUPAJC4YFNDLQVIOBYQGUWVLA } }", "\"nkey\" of an account has no effect")]
    public void A_key_that_changes_nothing_is_accepted_with_a_warning(string text, string warning)
    {
        Bind(text, out List<ConfigProblem> warnings);

        Assert.StartsWith(warning, Assert.Single(warnings).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("accounts { $SYS { users: [ { user: a, password: b } ] } }")]
    [InlineData("accounts { S { } }\nsystem_account: S")]
    [InlineData("accounts { $SYS { exports: [ { stream: x } ] }, A { imports: [ { stream: { account: \"$SYS\", subject: x } } ] } }")]
    public void A_system_account_that_is_used_cannot_be_turned_off(string accounts)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind($"no_sys_acc: true\n{accounts}", out _));

        Assert.StartsWith("\"no_sys_acc\" cannot be combined with a system account at test.conf:1:", Assert.Single(e.Problems).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_user_may_have_no_password_if_the_file_says_so()
    {
        const string Users = "authorization { users: [ { user: a }, { user: b, password: c } ] }";
        ConfigException e = Assert.Throws<ConfigException>(() => Bind(Users, out _));
        Assert.Contains("unless \"allow_users_without_password\" is true", Assert.Single(e.Problems).ToString(), StringComparison.Ordinal);

        SecuritySettings security = Bind("allow_users_without_password: true\n" + Users, out _).Security!;

        Assert.Equal(["a", "b"], security.Users.Select(static u => u.Name));
        // An empty text is probably a variable that was not set.
        Assert.Throws<ConfigException>(() => Bind("allow_users_without_password: true\nauthorization { users: [ { user: a, password: \"\" } ] }", out _));
    }

    [Theory]
    [InlineData("max_payload: 0")]
    [InlineData("max_connections: 0")]
    [InlineData("max_conn: 0")]
    [InlineData("max_control_line: 0")]
    [InlineData("write_deadline: \"0s\"")]
    [InlineData("write_deadline: 0")]
    [InlineData("ping_interval: \"0s\"")]
    [InlineData("ping_max: 0")]
    [InlineData("server_name: \"\"")]
    [InlineData("log_file: \"\"")]
    [InlineData("logfile: \"\"")]
    [InlineData("pid_file: \"\"")]
    [InlineData("pidfile: \"\"")]
    [InlineData("ports_file_dir: \"\"")]
    [InlineData("http: \"0.0.0.0:0\"")]
    [InlineData("https: \"[::]:0\"")]
    public void Zero_and_an_empty_text_mean_the_default(string text)
    {
        ServeSettings settings = Bind(text, out _);
        var defaults = new ServeSettings();

        Assert.Equal(
            (defaults.MaxPayload, defaults.MaxConnections, defaults.MaxControlLine, defaults.WriteDeadline, defaults.PingInterval, defaults.PingMax),
            (settings.MaxPayload, settings.MaxConnections, settings.MaxControlLine, settings.WriteDeadline, settings.PingInterval, settings.PingMax));
        Assert.Equal(
            (defaults.ServerName, null, null, null, null, null),
            (settings.ServerName, settings.LogFile, settings.PidFile, settings.PortsFileDirectory, settings.Http, settings.Https));
    }

    [Theory]
    [InlineData("max: 7, ttl: 50ms")]
    [InlineData("max_msgs: 7, expiration: 50ms")]
    [InlineData("max_messages: 7, expires: 50ms")]
    [InlineData("max_responses: 7, ttl: 50ms")]
    public void Limits_of_responses_have_nats_servers_names(string keys)
    {
        SecuritySettings security = Bind(
            $"authorization {{ users: [ {{ user: a, password: b, permissions: {{ allow_responses: {{ {keys} }} }} }} ] }}", out _).Security!;

        Assert.Equal(
            (7, TimeSpan.FromMilliseconds(50)),
            (security.Users[0].Permissions!.Responses!.MaxMessages, security.Users[0].Permissions!.Responses!.Expires));
    }

    [Theory]
    [InlineData("origins: [\"http://a\"], compress: true")]
    [InlineData("origin: \"http://a\", compression: true")]
    [InlineData("allowed_origins: [\"http://a\"], origins: [], compress: true")]
    public void Keys_of_websocket_have_nats_servers_names(string keys)
    {
        WebSocketSettings settings = Bind($"websocket {{ port: -1, no_tls: true, {keys} }}", out _).WebSocket!;

        Assert.Equal((true, "http://a"), (settings.Compression, Assert.Single(settings.AllowedOrigins)));
    }

    [Theory]
    [InlineData("PASS")]
    [InlineData("password")]
    public void A_password_beside_users_that_refer_to_it_is_only_a_variable(string key)
    {
        SecuritySettings security = Bind(
            $"authorization {{ {key}: s3cret\n users = [ {{ user: a, password: ${key} }}, {{ user: b, password: ${key} }} ] }}", out _).Security!;

        Assert.Equal(["a", "b"], security.Users.Select(static u => u.Name));
        Assert.False(security.IsOneUser);
    }

    [Fact]
    public void A_password_beside_users_that_do_not_refer_to_it_is_refused()
        => Assert.Throws<ConfigException>(() => Bind("authorization { password: x, users = [ { user: a, password: b } ] }", out _));

    [Theory]
    [InlineData("disable_sublist_cache: true")]
    [InlineData("connect_error_reports: 3")]
    [InlineData("reconnect_error_reports: 3")]
    public void What_changes_nothing_is_warned_of(string text)
    {
        Bind(text, out List<ConfigProblem> warnings);

        Assert.Contains(" has no effect: ", Assert.Single(warnings).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("permission")]
    [InlineData("permissions")]
    [InlineData("authorization")]
    public void Permissions_of_a_user_have_nats_servers_names(string key)
    {
        SecuritySettings security = Bind(
            $$"""
            authorization { users: [
              { user: a, password: b, {{key}}: { import: "i.>", export: "e.>", publish_allow_responses: true } }
            ] }
            """,
            out _).Security!;

        Assert.Equal(["i.>"], security.Users[0].Permissions!.Publish.Allow);
        Assert.Equal(["e.>"], security.Users[0].Permissions!.Subscribe.Allow);
        Assert.NotNull(security.Users[0].Permissions!.Responses);
    }

    [Theory]
    [InlineData("default_permissions")]
    [InlineData("default_permission")]
    [InlineData("permissions")]
    public void Default_permissions_have_nats_servers_names(string key)
        => Assert.Equal(
            ["x"],
            Bind($"authorization {{ {key} {{ publish: x }}, users: [ {{ user: a, password: b }} ] }}", out _).Security!.DefaultPermissions!.Publish.Allow);

    [Fact]
    public void The_user_of_those_who_show_nothing_needs_no_password()
    {
        SecuritySettings security = Bind("authorization { users: [ { user: anonymous } ] }\nno_auth_user: anonymous", out _).Security!;

        Assert.Equal(("anonymous", "anonymous"), (security.NoAuthUser, security.Users[0].Name));
    }

    [Fact]
    public void A_hash_needs_no_quotes()
        => Assert.Equal(["a"], Bind("authorization { user: a, password: $2a$11$W2zko751KUvVy59mUTWmpOdWjpEm5qhcCZRd05GjI/sSOT.xtiHyG }", out _)
            .Security!.Users.Select(u => u.Name));

    [Theory]
    [InlineData("monitor_port: 8222", "127.0.0.1:8222")]
    [InlineData("host: 0.0.0.0\nmonitor_port: 8222", "0.0.0.0:8222")]
    [InlineData("http_port: 0", null)]
    [InlineData("http: 0", null)]
    public void The_port_of_the_pages_has_nats_servers_names(string text, string? address) => Assert.Equal(address, Bind(text, out _).Http?.ToString());

    [Theory]
    [InlineData("port: 0", 4222)]
    [InlineData("listen: 0", 4222)]
    [InlineData("port: -1", 0)]
    public void Port_0_is_the_usual_one(string text, int port) => Assert.Equal(port, Bind(text, out _).Port);

    [Theory]
    [InlineData("server_tags: [\"A:1\", \" b \", \"a:1\"]", "a:1,b")]
    [InlineData("server_tags: \"x, Y\"", "x,y")]
    public void Tags_are_texts_in_lower_case(string text, string tags) => Assert.Equal(tags, string.Join(',', Bind(text, out _).ServerTags));

    [Fact]
    public void Other_names_of_a_key_are_taken()
    {
        ServeSettings settings = Bind("max_conn: 7\ntrace_verbose: true\nhttp_base_path: \"x/y/\"", out _);

        Assert.Equal((7, true, "/x/y"), (settings.MaxConnections, settings.Trace, settings.HttpBasePath));
    }

    private static ServeSettings Bind(string text, out List<ConfigProblem> warnings)
        => ServeConfig.Bind(Parsing.Parse(text), new ServeSettings(), warnings = []);
}
