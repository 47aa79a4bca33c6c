using Broker.Hosting;
using Broker.Server;
using Broker.Transport;

namespace Broker.Cli.Configuration;

/// <summary>Reads a configuration file of <c>broker serve</c>.</summary>
internal static class ServeConfig
{
    /// <summary>
    /// Returns <paramref name="defaults"/> with the settings of the file. Keys that are accepted but have no effect add
    /// warnings.
    /// </summary>
    /// <exception cref="ConfigException">Keys or values are invalid. The exception lists all of them.</exception>
    public static ServeSettings Bind(ConfigBlock root, ServeSettings defaults, List<ConfigProblem>? warnings = null)
    {
        var problems = new List<ConfigProblem>();
        var section = new ConfigSection(root, problems);
        ServeSettings settings = defaults with
        {
            Host = section.Host("host", null) ?? section.Host("net", defaults.Host)!,
            Port = Port(section, defaults.Port),
            ServerName = section.Text("server_name", null) is { Length: > 0 } name ? name : defaults.ServerName,
            ServerTags = Tags(section, defaults.ServerTags),
            MaxPayload = (int)section.BytesOrDefault("max_payload", defaults.MaxPayload, 1, 64 * 1024 * 1024),
            MaxControlLine = (int)section.BytesOrDefault("max_control_line", defaults.MaxControlLine, 128, 1024 * 1024),
            MaxPending = section.Bytes("max_pending", defaults.MaxPending, 1024, 1L << 40),
            MaxPendingTotal = section.Bytes("max_pending_total", defaults.MaxPendingTotal, 0, 1L << 40),
            SlowConsumers = SlowConsumers(section, defaults.SlowConsumers),
            StallFastPublishers = !section.Flag("no_fast_producer_stall", !defaults.StallFastPublishers),
            MaxSubscriptions = MaxSubscriptions(section, defaults.MaxSubscriptions),
            MaxSubscriptionTokens = (int)section.Whole(
                "max_sub_tokens", section.Whole("max_subscription_tokens", defaults.MaxSubscriptionTokens, 1, 255), 1, 255),
            ClientAdvertise = Advertised(section, "client_advertise") ?? defaults.ClientAdvertise,
            ConnectUrls = section.Many("connect_urls", defaults.ConnectUrls, AdvertisedShape, CheckAdvertised),
            MaxConnections = (int)section.WholeOrDefault(
                "max_conn", section.WholeOrDefault("max_connections", defaults.MaxConnections, 1, 1_000_000), 1, 1_000_000),
            Loops = Loops(section, defaults.Loops, problems),
            WriteDeadline = section.SpanOrDefault("write_deadline", defaults.WriteDeadline),
            PingInterval = section.SpanOrDefault("ping_interval", defaults.PingInterval),
            PingMax = (int)section.WholeOrDefault("ping_max", defaults.PingMax, 1, 1000),
            StopDeadline = section.Span("stop_deadline", defaults.StopDeadline),
            LameDuckDuration = section.Span("lame_duck_duration", defaults.LameDuckDuration),
            LameDuckGracePeriod = section.Span("lame_duck_grace_period", defaults.LameDuckGracePeriod),
            PidFile = section.FilePath("pid_file", null) ?? section.FilePath("pidfile", defaults.PidFile),
            PortsFileDirectory = section.FilePath("ports_file_dir", defaults.PortsFileDirectory),
        };
        settings = Listen(section, Pages(section, Log(section, settings), problems));
        settings = settings with
        {
            AllowNonTls = TlsConfig.AllowsNonTls(section),
            Tls = new TlsConfig(problems, warnings ?? []).Read(section, settings.Tls),
        };
        settings = settings with
        {
            Http = Http(section, settings, "http", settings.Http),
            Https = Http(section, settings, "https", settings.Https),
            Security = new SecurityConfig(problems, warnings ?? []) { CertificatesNameUsers = settings.Tls is { MapUsers: true } || WebSocketConfig.MapsUsers(root) }.Read(section, settings.Security),
        };
        settings = settings with { Mappings = new MappingsConfig(problems, warnings ?? []).Read(section), LeafNodes = new LeafNodesConfig(problems, warnings ?? []).Read(section, settings) };
        settings = settings with { WebSocket = new WebSocketConfig(problems, warnings ?? []).Read(section, settings, settings.WebSocket) };
        settings = new JetStreamConfig(problems, warnings ?? []).Read(section, settings);
        settings = settings with { ZeroMq = new ZeroMqConfig(problems, warnings ?? []).Read(section, settings, settings.ZeroMq) };
        AllowNoOps(section, root, settings, problems, warnings ?? []);
        section.RejectTheRest(UnsupportedKeys.OfFile);
        if (settings.IgnoreUnsupported)
        {
            warnings?.AddRange(problems.Where(static p => p.CanBeIgnored).Select(static p => p with { CanBeIgnored = false }));
            problems.RemoveAll(static p => p.CanBeIgnored);
        }

        ThrowIfWrong(settings, root, problems);
        return settings;
    }

    private static ServeSettings Pages(ConfigSection section, ServeSettings defaults, List<ConfigProblem> problems) => defaults with
    {
        HttpBasePath = BasePath(section, defaults.HttpBasePath),
        HttpMaxConnections = HttpMaxConnections(section, defaults.HttpMaxConnections),
        HttpAdmin = new AdministratorConfig(problems).Read(section, defaults.HttpAdmin),
        SampleSubjects = (int)section.Whole("sample_subjects", defaults.SampleSubjects, 0, ServeSettings.MaxSampleInterval),
    };

    private static ServeSettings Log(ConfigSection section, ServeSettings defaults) => defaults with
    {
        LogTime = section.Flag("logtime", defaults.LogTime),
        Debug = section.Flag("debug", defaults.Debug),
        Trace = section.Flag("trace", defaults.Trace) | section.Flag("trace_verbose", false),
        TraceSystemAccount = section.Flag("trace_verbose", defaults.TraceSystemAccount),
        TracedPayload = (int)Math.Max(section.Whole("max_traced_msg_len", defaults.TracedPayload, int.MinValue, int.MaxValue), 0),
        LogFile = section.FilePath("log_file", null) ?? section.FilePath("logfile", defaults.LogFile),
        LogSizeLimit = LogSizeLimit(section, defaults.LogSizeLimit),
        LogMaxFiles = LogMaxFiles(section, defaults.LogMaxFiles),
    };

    private static void ThrowIfWrong(ServeSettings settings, ConfigBlock root, List<ConfigProblem> problems)
    {
        if (problems.Count == 0)
        {
            Compare(settings, root, problems);
        }

        if (problems.Count > 0)
        {
            throw new ConfigException([.. problems.OrderBy(p => p.Position.Line).ThenBy(p => p.Position.Column)]);
        }
    }

    // Reports values that are valid alone but conflict with each other.
    private static void Compare(ServeSettings settings, ConfigBlock root, List<ConfigProblem> problems)
    {
        if (settings.MaxPayload > settings.MaxPending)
        {
            ConfigEntry? at = root.Find("max_payload") ?? root.Find("max_pending");
            problems.Add(new ConfigProblem(
                $"max_payload ({settings.MaxPayload}) must not be greater than max_pending ({settings.MaxPending})", at!.Value.Position));
        }

        if (settings.MaxPendingTotal != 0 && settings.MaxPendingTotal < settings.MaxPending)
        {
            problems.Add(new ConfigProblem(
                $"max_pending_total ({settings.MaxPendingTotal}) must not be less than max_pending ({settings.MaxPending})",
                root.Find("max_pending_total")!.Position));
        }

        if (settings is { Http: not null, Https: not null })
        {
            problems.Add(new ConfigProblem("\"http\" and \"https\" cannot be combined", Position(root, "https")!.Value));
        }

        if (settings.LameDuckGracePeriod > settings.LameDuckDuration)
        {
            ConfigEntry? at = root.Find("lame_duck_grace_period") ?? root.Find("lame_duck_duration");
            problems.Add(new ConfigProblem(
                $"lame_duck_grace_period ({Duration.Format(settings.LameDuckGracePeriod)}) must not be greater than lame_duck_duration "
                + $"({Duration.Format(settings.LameDuckDuration)})",
                at!.Position));
        }
    }

    /// <summary>
    /// Returns the position of a setting, which may have several names. Returns null if the file has none of the names.
    /// </summary>
    public static ConfigPosition? Position(ConfigBlock root, string key)
    {
        string[] keys = key switch
        {
            "listen" => ["listen", "port", "host", "net"],
            "http" => ["http", "http_port", "monitor_port"],
            "https" => ["https", "https_port", "http", "http_port", "monitor_port"],
            "websocket" => ["websocket", "ws"],
            "log_file" => ["log_file", "logfile"],
            "pid_file" => ["pid_file", "pidfile"],
            _ => [key],
        };
        return keys.Select(root.Find).FirstOrDefault(e => e is not null)?.Position;
    }

    private static int Port(ConfigSection section, int otherwise)
        => section.Find("port") is null ? otherwise : ServeSettings.ClientPort(section.Whole("port", 0, -1, 65_535));

    private static ServeSettings Listen(ConfigSection section, ServeSettings settings)
    {
        switch (section.Find("listen"))
        {
            case null:
                return settings;
            case ConfigInteger { Value: >= -1 and <= 65_535 } port:
                return settings with { Port = ServeSettings.ClientPort(port.Value) };
            case ConfigText text when ListenAddress.ParseOrNull(text.Value) is { } address:
                return settings with { Host = address.Host, Port = address.Port };
            case ConfigArray { Items.Count: > 0 }:
                IReadOnlyList<ListenAddress> all = section.Many("listen", [new ListenAddress(settings.Host, settings.Port)], ListenAddress.Shape, ListenAddress.ParseOrNull);
                return all.Count > 0
                    ? settings with { Host = all[0].Host, Port = all[0].Port, AlsoListen = [.. all.Skip(1)] }
                    : settings;
            case var value:
                return section.Wrong("listen", $"a port, {ListenAddress.Shape} or an array of them", value, settings);
        }
    }

    /// <summary>
    /// Reads the address of the pages. <c>http_port</c> uses the host of the clients; <c>http</c> may have its own
    /// host. The keys with <c>https</c> work in the same way.
    /// </summary>
    internal static ListenAddress? Http(ConfigSection section, ServeSettings settings, string key, ListenAddress? fallback)
    {
        ListenAddress? otherwise = fallback;
        foreach (string name in (ReadOnlySpan<string>)[$"{key}_port", .. key == "http" ? ["monitor_port"] : Array.Empty<string>()])
        {
            otherwise = section.Find(name) is null ? otherwise : settings.PagesAt(section.Whole(name, 0, -1, 65_535));
        }

        return section.Find(key) switch
        {
            null => otherwise,
            ConfigInteger { Value: >= -1 and <= 65_535 } port => settings.PagesAt(port.Value),
            ConfigText text when ListenAddress.ParseOrNull(text.Value) is { } address => address,
            // As in nats-server, port 0 means no pages, also if a host is before the port.
            ConfigText { Value: [.. var host, ':', '0'] } when ListenAddress.ParseOrNull($"{host}:-1") is not null => null,
            var value => section.Wrong(key, $"a port, or {ListenAddress.Shape}", value, otherwise),
        };
    }

    // Accepts keys of nats-server that turn off a missing feature, and warns about keys without an effect.
    private static void AllowNoOps(
        ConfigSection section, ConfigBlock root, ServeSettings settings, List<ConfigProblem> problems, List<ConfigProblem> warnings)
    {
        foreach (string key in (ReadOnlySpan<string>)["cluster", "gateway", "mqtt", "ocsp", "ocsp_cache"])
        {
            section.AllowOff(key, isOffIfEmpty: true);
        }

        foreach ((string key, string why) in UnsupportedKeys.WithoutEffect)
        {
            if (section.Find(key) is { } found)
            {
                warnings.Add(new ConfigProblem($"\"{key}\" has no effect: {why}", found.Position));
            }
        }

        foreach (string key in (ReadOnlySpan<string>)["no_system_account", "no_system", "no_sys_acc"])
        {
            if (section.Flag(key, false))
            {
                NoSystemAccount(key, section.Find(key)!.Position, settings, problems, warnings);
            }
        }

        foreach (string key in (ReadOnlySpan<string>)["no_header_support", "syslog"])
        {
            if (root.Find(key) is not null && section.Flag(key, false))
            {
                problems.Add(ConfigSection.Unsupported(key, WhyNot(key), root.Find(key)!.Position));
            }
        }
    }

    private static string WhyNot(string key) => key switch
    {
        "no_header_support" => "headers are always supported; clients without header support receive no headers",
        _ => UnsupportedKeys.OfFile[key],
    };

    // Nobody sees the system account if it has no users and no other account imports from it.
    private static void NoSystemAccount(
        string key, ConfigPosition at, ServeSettings settings, List<ConfigProblem> problems, List<ConfigProblem> warnings)
    {
        const string Name = "$SYS";
        bool isUsed = settings.Security is { } security
            && (security.SystemAccount is not null || security.Accounts.Any(a => a.Name == Name || a.Imports.Any(i => i.Account == Name)));
        if (isUsed)
        {
            problems.Add(new ConfigProblem($"\"{key}\" cannot be combined with a system account", at));
        }
        else
        {
            warnings.Add(new ConfigProblem($"\"{key}\" has no effect: the system account exists, but nobody can log in to it", at));
        }
    }

    // As in nats-server, tags are an array or a text with commas, and are converted to lower case.
    private static IReadOnlyList<string> Tags(ConfigSection section, IReadOnlyList<string> otherwise)
        => section.Find("server_tags") is null ? otherwise : [.. section.Many("server_tags", otherwise, "a text or an array of texts", static text => text)
            .SelectMany(text => text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
            .Select(tag => tag.ToLowerInvariant())
            .Distinct(StringComparer.Ordinal)];

    // As in nats-server, 0 and -1 mean no limit.
    internal static long LogSizeLimit(ConfigSection section, long otherwise)
        => Math.Max(0, section.Bytes("logfile_size_limit", section.Bytes("log_size_limit", otherwise, -1, long.MaxValue), -1, long.MaxValue));

    internal static int LogMaxFiles(ConfigSection section, int otherwise)
        => (int)Math.Max(0, section.Whole("logfile_max_num", section.Whole("log_max_num", otherwise, -1, int.MaxValue), -1, int.MaxValue));

    internal static int HttpMaxConnections(ConfigSection section, int otherwise)
        => (int)section.Whole("http_max_connections", otherwise, 1, 65_536);

    private static string BasePath(ConfigSection section, string otherwise)
        => section.Find("http_base_path") switch
        {
            null => otherwise,
            ConfigText { Value: var text } when text.All(static c => char.IsAsciiLetterOrDigit(c) || c is '/' or '-' or '_' or '.' or '~') =>
                text.Trim('/') is { Length: > 0 } path ? "/" + path : "",
            var value => section.Wrong("http_base_path", "a path such as \"/broker\"", value, otherwise),
        };

    private const string AdvertisedShape = "a host and port such as \"example.org:4222\"";

    private static string? CheckAdvertised(string text)
        => HostAndPort.TryParse(text, out string? host, out int port) && host.Length > 0 && port > 0 ? text : null;

    private static string? Advertised(ConfigSection section, string key)
        => section.Find(key) switch
        {
            null => null,
            ConfigText text when CheckAdvertised(text.Value) is { } address => address,
            var value => section.Wrong(key, AdvertisedShape, value, (string?)null),
        };

    // As in nats-server, both names are valid, and -1 means no limit.
    private static int MaxSubscriptions(ConfigSection section, int otherwise)
        => Math.Max(0, (int)section.Whole("max_subs", section.Whole("max_subscriptions", otherwise, -1, int.MaxValue), -1, int.MaxValue));

    private static EventLoopOptions Loops(ConfigSection section, EventLoopOptions defaults, List<ConfigProblem> problems)
    {
        switch (section.Find("loops"))
        {
            case null:
                return defaults;
            case ConfigBlock block:
                var loops = new ConfigSection(block, problems);
                EventLoopOptions options = defaults with
                {
                    Loops = (int)loops.Whole("threads", defaults.Loops, 0, 256),
                    IdlePolls = (int)loops.Whole("idle_polls", defaults.IdlePolls, 0, 1_000_000),
                    BulkPause = loops.Find("bulk_pause") is null ? defaults.BulkPause : (int)loops.Whole("bulk_pause", 0, 0, 1_000_000),
                };
                loops.RejectTheRest();
                return options;
            case var value:
                return section.Wrong("loops", "a block with threads, idle_polls or bulk_pause", value, defaults);
        }
    }

    private static SlowConsumerPolicy SlowConsumers(ConfigSection section, SlowConsumerPolicy otherwise)
        => section.Find("slow_consumers") switch
        {
            null => otherwise,
            ConfigText { Value: "disconnect" } => SlowConsumerPolicy.Disconnect,
            ConfigText { Value: "drop_newest" } => SlowConsumerPolicy.DropNewest,
            ConfigText { Value: "drop_oldest" } => SlowConsumerPolicy.DropOldest,
            var value => section.Wrong("slow_consumers", "disconnect, drop_newest or drop_oldest", value, otherwise),
        };
}
