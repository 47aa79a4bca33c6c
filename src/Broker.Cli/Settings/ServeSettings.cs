using Broker.Server;
using Broker.Transport;

namespace Broker.Cli.Settings;

/// <summary>Everything <c>broker serve</c> was told, by the configuration file and by flags. The defaults are nats-server's, but for the host.</summary>
internal sealed record ServeSettings
{
    /// <summary>The address to listen on: loopback unless told otherwise, since nothing is authenticated by default.</summary>
    public string Host { get; init; } = "127.0.0.1";

    /// <summary>The port to listen on; 0 takes a free one.</summary>
    public int Port { get; init; } = 4222;

    /// <summary>Further addresses to listen on.</summary>
    public IReadOnlyList<ListenAddress> AlsoListen { get; init; } = [];

    /// <summary>The <c>host:port</c> that clients are told, or null for the real one.</summary>
    public string? ClientAdvertise { get; init; }

    /// <summary>Other servers that clients are told of, as <c>host:port</c>.</summary>
    public IReadOnlyList<string> ConnectUrls { get; init; } = [];

    /// <summary>The name in INFO, or null for one made up by the server.</summary>
    public string? ServerName { get; init; }

    /// <summary>Words that describe the server, for monitoring.</summary>
    public IReadOnlyList<string> ServerTags { get; init; } = [];

    /// <summary>The largest payload with headers, in bytes.</summary>
    public int MaxPayload { get; init; } = 1024 * 1024;

    /// <summary>The longest control line, in bytes.</summary>
    public int MaxControlLine { get; init; } = 4096;

    /// <summary>What may wait for one slow connection, in bytes.</summary>
    public long MaxPending { get; init; } = 64 * 1024 * 1024;

    /// <summary>What may wait for all connections together, in bytes; 0 for no limit.</summary>
    public long MaxPendingTotal { get; init; }

    /// <summary>What happens to a connection that is too slow.</summary>
    public SlowConsumerPolicy SlowConsumers { get; init; }

    /// <summary>How many subscriptions a connection may have; 0 for no limit.</summary>
    public int MaxSubscriptions { get; init; }

    /// <summary>How many clients may be connected at once.</summary>
    public int MaxConnections { get; init; } = 65_536;

    /// <summary>How many threads serve connections, and how they wait.</summary>
    public EventLoopOptions Loops { get; init; } = new();

    public TimeSpan WriteDeadline { get; init; } = TimeSpan.FromSeconds(10);

    public TimeSpan PingInterval { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>How many PINGs may go unanswered before a connection is stale.</summary>
    public int PingMax { get; init; } = 2;

    /// <summary>How long queued messages are delivered after a stop was asked for.</summary>
    public TimeSpan StopDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long lame duck mode takes, with its grace period.</summary>
    public TimeSpan LameDuckDuration { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>How long clients have to leave by themselves before they are sent away.</summary>
    public TimeSpan LameDuckGracePeriod { get; init; } = TimeSpan.FromSeconds(10);

    public bool Debug { get; init; }

    public bool Trace { get; init; }

    /// <summary>Whether what the server itself says in the system account is traced too.</summary>
    public bool TraceSystemAccount { get; init; }

    /// <summary>How much of a payload is traced, in bytes; 0 for all of it.</summary>
    public int TracedPayload { get; init; } = 1024;

    /// <summary>The file that log lines are appended to, or null for standard error.</summary>
    public string? LogFile { get; init; }

    /// <summary>Whether log lines begin with the time.</summary>
    public bool LogTime { get; init; } = true;

    /// <summary>The name that the program was started by.</summary>
    public string Program { get; init; } = ProgramName.Default;

    public string? PidFile { get; init; }

    public string? PortsFileDirectory { get; init; }

    /// <summary>Whether the live counts are left out.</summary>
    public bool Quiet { get; init; }

    /// <summary>Where the monitoring pages are, or null for nowhere.</summary>
    public ListenAddress? Http { get; init; }

    /// <summary>What the paths of the pages begin with: empty, or of the form <c>/a/b</c>.</summary>
    public string HttpBasePath { get; init; } = "";

    /// <summary>Whether clients may stay in clear though there is TLS.</summary>
    public bool AllowNonTls { get; init; }

    /// <summary>Where the monitoring pages are over HTTPS, with the certificate of <see cref="Tls"/>, or null for nowhere.</summary>
    public ListenAddress? Https { get; init; }

    /// <summary>Where clients come in by WebSocket, or null for nowhere.</summary>
    public WebSocketSettings? WebSocket { get; init; }

    /// <summary>Who may connect, or null for everybody.</summary>
    public SecuritySettings? Security { get; init; }

    /// <summary>TLS with clients, or null for none.</summary>
    public ServerTlsOptions? Tls { get; init; }

    /// <summary>The port that a number of the user's stands for: 0 is the usual one, as for nats-server, and -1 a free one.</summary>
    public static int ClientPort(long asked) => asked switch
    {
        0 => BrokerServerOptions.DefaultPort,
        < 0 => 0,
        _ => (int)asked,
    };

    /// <summary>Where the pages are when only a port was said, which for nats-server is 0 for none.</summary>
    public ListenAddress? PagesAt(long port) => port == 0 ? null : new ListenAddress(Host, (int)Math.Max(0, port));

    /// <summary>Whether there is no server, but a bridge to others.</summary>
    public bool IsBridgeAlone { get; init; }

    /// <summary>The ZeroMQ bridge, or null for none.</summary>
    public ZeroMqSettings? ZeroMq { get; init; }
}
