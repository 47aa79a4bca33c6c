using Broker.AspNetCore;
using Broker.Leaf;
using Broker.Server;
using Broker.Transport;

namespace Broker.Cli.Settings;

/// <summary>
/// The settings of <c>broker serve</c> from the configuration file and the flags. The defaults are those of
/// nats-server, except for the host.
/// </summary>
internal sealed record ServeSettings
{
    /// <summary>
    /// The address to listen on. The default is loopback, because the server authenticates nobody by default.
    /// </summary>
    public string Host { get; init; } = "127.0.0.1";

    /// <summary>The port to listen on; 0 takes a free port.</summary>
    public int Port { get; init; } = 4222;

    /// <summary>Further addresses to listen on.</summary>
    public IReadOnlyList<ListenAddress> AlsoListen { get; init; } = [];

    /// <summary>The <c>host:port</c> that the server announces to clients, or null for its real address.</summary>
    public string? ClientAdvertise { get; init; }

    /// <summary>Other servers that the server announces to clients, as <c>host:port</c>.</summary>
    public IReadOnlyList<string> ConnectUrls { get; init; } = [];

    /// <summary>The server's name in INFO, or null for a random name.</summary>
    public string? ServerName { get; init; }

    /// <summary>Words that describe the server, for monitoring.</summary>
    public IReadOnlyList<string> ServerTags { get; init; } = [];

    /// <summary>The largest payload with headers, in bytes.</summary>
    public int MaxPayload { get; init; } = 1024 * 1024;

    /// <summary>The longest control line, in bytes.</summary>
    public int MaxControlLine { get; init; } = 4096;

    /// <summary>The maximum number of bytes that may be pending for one connection.</summary>
    public long MaxPending { get; init; } = 64 * 1024 * 1024;

    /// <summary>The maximum number of bytes that may be pending for all connections together; 0 for no limit.</summary>
    public long MaxPendingTotal { get; init; }

    /// <summary>The policy for a connection that exceeds <see cref="MaxPending"/>.</summary>
    public SlowConsumerPolicy SlowConsumers { get; init; }

    /// <summary>Whether clients that publish faster than a subscriber reads are slowed down.</summary>
    public bool StallFastPublishers { get; init; } = true;

    /// <summary>The maximum number of subscriptions of a connection; 0 for no limit.</summary>
    public int MaxSubscriptions { get; init; }

    /// <summary>The maximum number of tokens of a subject that a client subscribes to; 0 for no limit.</summary>
    public int MaxSubscriptionTokens { get; init; }

    /// <summary>The maximum number of connected clients.</summary>
    public int MaxConnections { get; init; } = 65_536;

    /// <summary>The options of the event loops that serve connections.</summary>
    public EventLoopOptions Loops { get; init; } = new();

    public TimeSpan WriteDeadline { get; init; } = TimeSpan.FromSeconds(10);

    public TimeSpan PingInterval { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The number of unanswered PINGs after which a connection is closed as stale.</summary>
    public int PingMax { get; init; } = 2;

    /// <summary>The maximum time for delivering pending messages after a stop was requested.</summary>
    public TimeSpan StopDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The maximum time of lame duck mode, including its grace period.</summary>
    public TimeSpan LameDuckDuration { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The time in lame duck mode before the server starts to close clients.</summary>
    public TimeSpan LameDuckGracePeriod { get; init; } = TimeSpan.FromSeconds(10);

    public bool Debug { get; init; }

    public bool Trace { get; init; }

    /// <summary>Whether the server's own messages in the system account are traced too.</summary>
    public bool TraceSystemAccount { get; init; }

    /// <summary>The maximum number of payload bytes that a trace line shows; 0 for all.</summary>
    public int TracedPayload { get; init; } = 1024;

    /// <summary>The administrator of the live page; null if nobody may change anything there.</summary>
    public AdministratorSettings? HttpAdmin { get; init; }

    /// <summary>The largest value of <see cref="SampleSubjects"/>.</summary>
    public const int MaxSampleInterval = 1_000_000;

    /// <summary>
    /// One of so many messages is sampled to find the subjects with the most traffic; 0 for no sampling.
    /// </summary>
    public int SampleSubjects { get; init; }

    /// <summary>The file to which log lines are appended, or null for standard error.</summary>
    public string? LogFile { get; init; }

    /// <summary>The size in bytes above which the log file is renamed; 0 for no limit.</summary>
    public long LogSizeLimit { get; init; }

    /// <summary>The maximum number of log files, the current one included; 0 for no limit.</summary>
    public int LogMaxFiles { get; init; }

    /// <summary>Whether log lines begin with the time.</summary>
    public bool LogTime { get; init; } = true;

    /// <summary>The name by which the program was started.</summary>
    public string Program { get; init; } = ProgramName.Default;

    public string? PidFile { get; init; }

    public string? PortsFileDirectory { get; init; }

    /// <summary>Whether features of nats-server that the broker does not have are warnings and not errors.</summary>
    public bool IgnoreUnsupported { get; init; }

    /// <summary>Whether no live counts are shown.</summary>
    public bool Quiet { get; init; }

    /// <summary>The address of the monitoring pages over HTTP, or null for none.</summary>
    public ListenAddress? Http { get; init; }

    /// <summary>The prefix of the pages' paths: empty, or of the form <c>/a/b</c>.</summary>
    public string HttpBasePath { get; init; } = "";

    /// <summary>The maximum number of connections to the pages.</summary>
    public int HttpMaxConnections { get; init; } = new MonitoringOptions().MaxConnections;

    /// <summary>Whether clients may connect without TLS although the server has TLS.</summary>
    public bool AllowNonTls { get; init; }

    /// <summary>
    /// The address of the monitoring pages over HTTPS, with the certificate of <see cref="Tls"/>, or null for none.
    /// </summary>
    public ListenAddress? Https { get; init; }

    /// <summary>The settings of the WebSocket listener, or null for none.</summary>
    public WebSocketSettings? WebSocket { get; init; }

    /// <summary>The users of the server, or null if every client may connect.</summary>
    public SecuritySettings? Security { get; init; }

    /// <summary>The subject mappings of clients that are in no account.</summary>
    public IReadOnlyList<SubjectMapping> Mappings { get; init; } = [];

    /// <summary>The options for TLS with clients, or null for no TLS.</summary>
    public ServerTlsOptions? Tls { get; init; }

    /// <summary>
    /// Returns the port for clients from the number in a flag or file. As in nats-server, 0 is the default port and -1
    /// a free port.
    /// </summary>
    public static int ClientPort(long asked) => asked switch
    {
        0 => BrokerServerOptions.DefaultPort,
        < 0 => 0,
        _ => (int)asked,
    };

    /// <summary>
    /// Returns the address of the pages if only a port was given. As in nats-server, port 0 means no pages.
    /// </summary>
    public ListenAddress? PagesAt(long port) => port == 0 ? null : new ListenAddress(Host, (int)Math.Max(0, port));

    /// <summary>Whether these are the settings of <c>broker bridge</c>, which has no server of its own.</summary>
    public bool IsBridgeAlone { get; init; }

    /// <summary>The servers that the broker joins as a leaf node, or null for none.</summary>
    public LeafNodeOptions? LeafNodes { get; init; }

    /// <summary>The streams, or null for none.</summary>
    public StreamsSettings? Streams { get; init; }

    /// <summary>The directory of the streams outside of their block, or null for none.</summary>
    public string? StoreDirectory { get; init; }

    /// <summary>The ZeroMQ bridge, or null for none.</summary>
    public ZeroMqSettings? ZeroMq { get; init; }
}
