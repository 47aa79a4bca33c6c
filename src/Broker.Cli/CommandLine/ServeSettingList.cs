using System.CommandLine;
using Broker.Bridge;
using Broker.Cli.Configuration;
using Broker.Cli.Effective;
using Broker.Hosting;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>
/// The settings of <c>broker serve</c> with their keys and flags, in the order of docs/configuration.md.
/// </summary>
internal sealed class ServeSettingList(ServeOptions options)
{
    public IReadOnlyList<KnownSetting> All => [.. Addresses(), .. Limits(), .. Times(), .. Pages(), .. Logs(), .. Security(), .. Tls(), .. Streams(), .. ZeroMq()];

    private IEnumerable<KnownSetting> Addresses() =>
    [
        new("host", static s => s.Host)
        {
            FileKeys = ["listen", "host", "net"],
            // A "listen" with only a port leaves the host to other keys.
            Counts = static value => value is not ConfigInteger,
            Flags = [options.Host],
        },
        new("port", static s => s.Port == 0 ? -1 : s.Port) { FileKeys = ["listen", "port"], Flags = [options.Port] },
        new("listen", static s => s.AlsoListen.Count == 0
            ? KnownSetting.Absent
            : s.AlsoListen.Prepend(new ListenAddress(s.Host, s.Port)).Select(Address).ToArray<object?>()),
        new("server_name", static s => s.ServerName) { Flags = [options.Name] },
        new("server_tags", static s => s.ServerTags.ToArray<object?>()),
        new("client_advertise", static s => s.ClientAdvertise) { Flags = [options.ClientAdvertise] },
        new("connect_urls", static s => s.ConnectUrls.ToArray<object?>()),
    ];

    private static IEnumerable<KnownSetting> Limits() =>
    [
        new("max_payload", static s => s.MaxPayload),
        new("max_control_line", static s => s.MaxControlLine),
        new("max_connections", static s => s.MaxConnections) { FileKeys = ["max_conn", "max_connections"] },
        new("max_subscriptions", static s => s.MaxSubscriptions) { FileKeys = ["max_subs", "max_subscriptions"] },
        new("max_sub_tokens", static s => s.MaxSubscriptionTokens == 0 ? null : s.MaxSubscriptionTokens)
        {
            FileKeys = ["max_sub_tokens", "max_subscription_tokens"],
        },
        new("max_pending", static s => s.MaxPending),
        new("max_pending_total", static s => s.MaxPendingTotal),
        new("no_fast_producer_stall", static s => !s.StallFastPublishers),
        new("slow_consumers", static s => s.SlowConsumers switch
        {
            SlowConsumerPolicy.DropNewest => "drop_newest",
            SlowConsumerPolicy.DropOldest => "drop_oldest",
            _ => "disconnect",
        }),
        new("loops.threads", static s => s.Loops.Loops),
        new("loops.idle_polls", static s => s.Loops.IdlePolls),
        new("loops.bulk_pause", static s => s.Loops.BulkPause),
    ];

    private static IEnumerable<KnownSetting> Times() =>
    [
        new("write_deadline", static s => Duration.Format(s.WriteDeadline)),
        new("ping_interval", static s => Duration.Format(s.PingInterval)),
        new("ping_max", static s => s.PingMax),
        new("stop_deadline", static s => Duration.Format(s.StopDeadline)),
        new("lame_duck_duration", static s => Duration.Format(s.LameDuckDuration)),
        new("lame_duck_grace_period", static s => Duration.Format(s.LameDuckGracePeriod)),
    ];

    private IEnumerable<KnownSetting> Pages() =>
    [
        new("http", static s => s.Http is { } at ? Address(at) : null)
        {
            FileKeys = ["http", "monitor_port", "http_port"],
            Flags = [options.HttpPort],
        },
        new("https", static s => s.Https is { } at ? Address(at) : null) { FileKeys = ["https", "https_port"], Flags = [options.HttpsPort] },
        new("http_base_path", static s => s.HttpBasePath.Length > 0 ? s.HttpBasePath : null),
        new("http_max_connections", static s => s.HttpMaxConnections),
        new("sample_subjects", static s => s.SampleSubjects) { Flags = [options.SampleSubjects] },
        new("websocket", static s => s.WebSocket is not null) { FileKeys = ["websocket", "ws"] },
    ];

    private IEnumerable<KnownSetting> Logs() =>
    [
        new("debug", static s => s.Debug) { Flags = [options.Debug] },
        new("trace", static s => s.Trace) { FileKeys = ["trace", "trace_verbose"], Flags = [options.Trace, options.TraceSystemAccount] },
        new("trace_verbose", static s => s.TraceSystemAccount) { Flags = [options.TraceSystemAccount] },
        new("max_traced_msg_len", static s => s.TracedPayload) { Flags = [options.TracedPayload] },
        new("log_file", static s => s.LogFile) { FileKeys = ["log_file", "logfile"], Flags = [options.Log] },
        new("logfile_size_limit", static s => s.LogSizeLimit)
        {
            FileKeys = ["logfile_size_limit", "log_size_limit"],
            Flags = [options.LogSizeLimit],
        },
        new("logfile_max_num", static s => s.LogMaxFiles) { FileKeys = ["logfile_max_num", "log_max_num"] },
        new("logtime", static s => s.LogTime) { Flags = [options.LogTime] },
        new("pid_file", static s => s.PidFile) { FileKeys = ["pid_file", "pidfile"], Flags = [options.Pid] },
        new("ports_file_dir", static s => s.PortsFileDirectory) { Flags = [options.PortsFileDirectory] },
    ];

    private IEnumerable<KnownSetting> Security() =>
    [
        new("authorization.user", static s => OneUser(s)?.Name ?? KnownSetting.Absent)
        {
            FileKeys = ["authorization.user", "authorization.username"],
            Flags = [options.User],
        },
        new("authorization.password", static s => OneUser(s) is null ? KnownSetting.Absent : null)
        {
            FileKeys = ["authorization.password", "authorization.pass"],
            Flags = [options.Password],
            IsSecret = true,
        },
        new("resolver", static s => s.Security?.Operator is { } operators ? ResolverOf(operators) : KnownSetting.Absent)
        {
            FileKeys = ["resolver", "account_resolver", "accounts_resolver"],
        },
        new("authorization.token", static s => s.Security?.Token is null ? KnownSetting.Absent : null) { Flags = [options.Token], IsSecret = true },
    ];

    private static string ResolverOf(OperatorOptions operators) => operators.Resolver switch
    {
        DirectoryResolver directory => directory.Directory,
        UrlResolver url => url.Url.ToString(),
        _ => "MEMORY",
    };

    private IEnumerable<KnownSetting> Tls() =>
    [
        new("tls", static s => s.Tls is not null) { Flags = [.. options.Tls.All] },
        new("tls.cert_file", static s => OfTls(s, static tls => tls.CertificateFile)) { Flags = [Flag("--tlscert")] },
        new("tls.key_file", static s => OfTls(s, static tls => tls.KeyFile)) { Flags = [Flag("--tlskey")] },
        new("tls.ca_file", static s => OfTls(s, static tls => tls.ClientAuthorityFile)) { Flags = [Flag("--tlscacert")] },
        new("tls.verify", static s => OfTls(s, static tls => tls.ClientCertificates != ClientCertificateMode.None))
        {
            FileKeys = ["tls.verify", "tls.verify_and_map"],
            Flags = [Flag("--tlsverify")],
        },
        new("allow_non_tls", static s => s.AllowNonTls),
        new("leafnodes", static s => s.LeafNodes is not null) { FileKeys = ["leafnodes", "leaf"] },
    ];

    private IEnumerable<KnownSetting> Streams() =>
    [
        new("jetstream", static s => s.Streams is not null) { Flags = [options.JetStream] },
        new("store_dir", static s => s.Streams?.Directory ?? s.StoreDirectory)
        {
            FileKeys = ["jetstream.store_dir", "jetstream.storedir", "jetstream.store", "store_dir", "storedir"],
            Flags = [options.StoreDirectory],
        },
    ];

    private IEnumerable<KnownSetting> ZeroMq() =>
    [
        new("zeromq", static s => s.ZeroMq is not null)
        {
            Flags = [options.ZeroMq, options.ZeroMqPublishers, options.ZeroMqSubscribers, options.ZeroMqPrefix],
        },
        new("zeromq.publishers", static s => OfZeroMq(s, static z => Endpoints(z.Publishers)))
        {
            FileKeys = ["zeromq.publishers", "zeromq.publishers.endpoint"],
            Flags = [options.ZeroMqPublishers],
        },
        new("zeromq.subscribers", static s => OfZeroMq(s, static z => Endpoints(z.Subscribers)))
        {
            FileKeys = ["zeromq.subscribers", "zeromq.subscribers.endpoint"],
            Flags = [options.ZeroMqSubscribers],
        },
        new("zeromq.prefix", static s => OfZeroMq(s, static z => z.Prefix)) { Flags = [options.ZeroMqPrefix] },
        new("zeromq.delimiter", static s => OfZeroMq(s, static z => z.Delimiter.ToString())),
        new("zeromq.single_frame_delimiter", static s => OfZeroMq(s, static z => z.SingleFrameDelimiter.ToString())),
        new("zeromq.echo", static s => OfZeroMq(s, static z => z.Echo)),
        new("zeromq.send_high_water_mark", static s => OfZeroMq(s, static z => z.SendHighWaterMark)),
        new("zeromq.max_message_size", static s => OfZeroMq(s, static z => z.MaxMessageSize)),
        new("zeromq.max_peers", static s => OfZeroMq(s, static z => z.MaxPeers)),
    ];

    private static User? OneUser(ServeSettings settings) => settings.Security is { IsOneUser: true, Users: [var user, ..] } ? user : null;

    private static object? OfTls(ServeSettings settings, Func<ServerTlsOptions, object?> value)
        => settings.Tls is { } tls ? value(tls) : KnownSetting.Absent;

    // The keys of the block belong to its PUB/SUB route, which a bridge with other routes may not have.
    private static object? OfZeroMq(ServeSettings settings, Func<ZeroMqSettings, object?> value)
        => settings.ZeroMq is { HasPubSub: true } zeroMq ? value(zeroMq) : KnownSetting.Absent;

    private static object?[] Endpoints(IEnumerable<BridgeEndpoint> endpoints)
        => [.. endpoints.Select(static at => $"{(at.Bind ? "bind" : "connect")} {at.Endpoint}")];

    private static string Address(ListenAddress at) => $"{(at.Host.Contains(':') ? $"[{at.Host}]" : at.Host)}:{(at.Port == 0 ? -1 : at.Port)}";

    private Option Flag(string name) => options.Tls.All.Single(option => option.Name == name);
}
