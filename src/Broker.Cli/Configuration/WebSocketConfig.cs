namespace Broker.Cli.Configuration;

/// <summary>Reads the key <c>websocket</c>, or <c>ws</c>, of nats-server.</summary>
internal sealed class WebSocketConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private const string OriginShape = "an origin such as \"https://app.example.org\"";
    private const string NoPort = "a \"port\" or \"listen\" to listen on";

    public WebSocketSettings? Read(ConfigSection root, ServeSettings settings, WebSocketSettings? otherwise)
    {
        string key = root.Has("ws") && !root.Has("websocket") ? "ws" : "websocket";
        // Reading the key makes it a known key.
        _ = root.Find("ws");
        return root.Find(key) switch
        {
            null => otherwise,
            ConfigBlock block => Read(new ConfigSection(block, problems), block, settings),
            var value => root.Wrong(key, "a block", value, otherwise),
        };
    }

    /// <summary>
    /// Whether the certificates of WebSocket clients name their users. Reading the block reports its errors.
    /// </summary>
    public static bool MapsUsers(ConfigBlock root)
        => (root.Find("websocket") ?? root.Find("ws")) is { Value: ConfigBlock block }
        && block.Find("tls") is { Value: ConfigBlock tls }
        && tls.Find("verify_and_map") is { Value: ConfigBoolean { Value: true } };

    private WebSocketSettings? Read(ConfigSection section, ConfigBlock block, ServeSettings settings)
    {
        int before = problems.Count;
        var read = new WebSocketSettings
        {
            Address = Address(section) ?? new ListenAddress("0.0.0.0", 0),
            IsHostDefault = IsHostDefault(section),
            Tls = new TlsConfig(problems, warnings).ReadForHttp(section),
            NoTls = section.Flag("no_tls", false),
            AllowedOrigins = Origins(section),
            SameOrigin = section.Flag("same_origin", false),
            Compression = section.Flag("compression", false) | section.Flag("compress", false),
            HandshakeTimeout = Timeout(section),
            Advertise = section.Text("advertise", null),
        };
        NoAuthUser(section, settings);
        section.RejectTheRest(UnsupportedKeys.OfWebSocket);
        if (IsNowhere(section))
        {
            problems.Add(new ConfigProblem($"\"websocket\" needs {NoPort}", block.Position));
        }
        else if (problems.Count == before && read.Tls is null && !read.NoTls)
        {
            problems.Add(new ConfigProblem(
                "\"websocket\" needs a certificate in \"tls\", or \"no_tls: true\" for no TLS", block.Position));
        }

        return problems.Count == before ? read : null;
    }

    private static bool IsHostDefault(ConfigSection section)
        => !section.Has("host") && !section.Has("net") && section.Find("listen") is null or ConfigInteger or ConfigText { Value: [':', ..] };

    // As in nats-server, port 0 means no listener.
    private static bool IsNowhere(ConfigSection section)
        => (section.Find("listen") ?? section.Find("port")) is null or ConfigInteger { Value: 0 };

    // As in nats-server, -1 takes a free port.
    private static ListenAddress? Address(ConfigSection section)
    {
        string host = section.Host("host", null) ?? section.Host("net", "0.0.0.0")!;
        ListenAddress? address = section.Has("port") ? new ListenAddress(host, Math.Max(0, (int)section.Whole("port", 0, -1, 65_535))) : null;
        return section.Find("listen") switch
        {
            null => address,
            ConfigInteger { Value: >= -1 and <= 65_535 } port => new ListenAddress(host, Math.Max(0, (int)port.Value)),
            ConfigText text when ListenAddress.ParseOrNull(text.Value) is { } both => both,
            var value => section.Wrong("listen", $"a port, or {ListenAddress.Shape}", value, address),
        };
    }

    // nats-server accepts all these spellings of the key.
    private static IReadOnlyList<string> Origins(ConfigSection section)
    {
        IReadOnlyList<string> found = [];
        foreach (string key in (ReadOnlySpan<string>)["allowed_origins", "allowed_origin", "allow_origins", "allow_origin", "origins", "origin"])
        {
            IReadOnlyList<string> origins = section.Many<string>(key, [], OriginShape, Origin);
            found = found.Count == 0 ? origins : found;
        }

        return found;
    }

    private static string? Origin(string text)
        => Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) && uri is { Scheme: "http" or "https", Host.Length: > 0 } ? text : null;

    // Reads a number of seconds, as in nats-server, or a duration.
    private static TimeSpan Timeout(ConfigSection section)
    {
        var defaults = TimeSpan.FromSeconds(2);
        return section.Find("handshake_timeout") is ConfigInteger { Value: > 0 and <= 3600 } seconds
            ? TimeSpan.FromSeconds(seconds.Value)
            : section.Span("handshake_timeout", defaults);
    }

    // In nats-server, WebSocket clients can have another no_auth_user. This server cannot distinguish them, so it
    // refuses the file instead of giving a client too many permissions.
    private void NoAuthUser(ConfigSection section, ServeSettings settings)
    {
        if (section.Find("no_auth_user") is { } value
            && (value is not ConfigText name || name.Value != settings.Security?.NoAuthUser))
        {
            problems.Add(new ConfigProblem(
                "\"no_auth_user\" of \"websocket\" must equal the \"no_auth_user\" of the whole server", value.Position));
        }
    }
}
