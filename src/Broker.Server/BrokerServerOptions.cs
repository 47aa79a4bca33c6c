using System.Net;
using Broker.Server.Sessions;
using Broker.Transport;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Server;

/// <summary>
/// How a server is set up. Defaults are nats-server's. Read when the server starts; later changes have no effect.
/// </summary>
public sealed partial class BrokerServerOptions
{
    // Longer ones could not be told from numbers that are too large for any limit.
    private const int MostPayload = 512 * 1024 * 1024;

    private List<EndPoint> _endPoints = [];

    /// <summary>The port that NATS clients expect.</summary>
    public const int DefaultPort = 4222;

    /// <summary>Where to listen; see <see cref="Listen(int)"/>. Empty: no sockets, in-process connections only.</summary>
    public IReadOnlyList<EndPoint> EndPoints => _endPoints;

    /// <summary>The name in INFO. Null, the default: the server's generated id.</summary>
    public string? ServerName { get; set; }

    /// <summary>Words that describe the server, such as <c>region:north</c>: shown by monitoring. Default: none.</summary>
    public IReadOnlyList<string> ServerTags { get; set; } = [];

    /// <summary>The largest payload in bytes, headers included; at most 512 MiB. Default 1 MiB.</summary>
    public int MaxPayload { get; set; } = 1024 * 1024;

    /// <summary>The longest control line in bytes, without its verb. Default 4096.</summary>
    public int MaxControlLine { get; set; } = 4096;

    /// <summary>How many bytes may wait for one client before <see cref="SlowConsumers"/> applies to it. Default 64 MiB.</summary>
    public long MaxPending { get; set; } = 64L * 1024 * 1024;

    /// <summary>
    /// How many bytes may wait for all clients together; 0, the default, for no limit, or where the heap is limited (in a container, or
    /// by <c>DOTNET_GCHeapHardLimit</c>) for a quarter of that. Above it the client for which the most
    /// wait is closed as a slow consumer, whatever its policy, and so on. It is looked at each time an event loop has written
    /// another 1/16 of it, so for a moment there may be so much more per loop.
    /// </summary>
    public long MaxPendingTotal { get; set; }

    /// <summary>What happens to a client that is too slow. Default: it is closed, as by nats-server.</summary>
    public SlowConsumerPolicy SlowConsumers { get; set; }

    /// <summary>How many subscriptions one client may have at a time; 0, the default, for as many as it likes.</summary>
    public int MaxSubscriptions { get; set; }

    /// <summary>How many clients there may be at a time. Default 65,536.</summary>
    public int MaxConnections { get; set; } = 65_536;

    /// <summary>How long a client may take nothing while bytes wait for it. Default 10 s; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</summary>
    public TimeSpan WriteDeadline { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a client may be silent before it is sent a PING. Default 2 min.</summary>
    public TimeSpan PingInterval { get; set; } = TimeSpan.FromMinutes(2);

    /// <summary>How many PINGs may be unanswered before the client counts as gone; at least 1. Default 2.</summary>
    public int PingMax { get; set; } = 2;

    /// <summary>
    /// The <c>host:port</c> that INFO tells in place of the address listened on, for a server behind another address. Null,
    /// the default: the real one.
    /// </summary>
    public string? ClientAdvertise { get; set; }

    /// <summary>
    /// Other servers that clients may go to when this one is gone, each as <c>host:port</c>: <c>connect_urls</c> in INFO.
    /// Default: none.
    /// </summary>
    public IReadOnlyList<string> ConnectUrls { get; set; } = [];

    /// <summary>
    /// The loops to run on, shared with other users of them. Null, the default: the server makes its own by
    /// <see cref="LoopOptions"/> and ends them with itself.
    /// </summary>
    public EventLoopGroup? Loops { get; set; }

    /// <summary>How its own loops are made when <see cref="Loops"/> is null.</summary>
    public EventLoopOptions LoopOptions { get; set; } = new();

    /// <summary>Where it logs. Default: nowhere.</summary>
    public ILogger Logger { get; set; } = NullLogger.Instance;

    /// <summary>
    /// How much of a payload is shown where the protocol is logged, at <see cref="LogLevel.Trace"/>, in bytes; 0 for all of it. Default 1,024.
    /// </summary>
    public int TracedPayload { get; set; } = 1024;

    /// <summary>
    /// Whether what the server itself publishes in the system account is logged there too, once somebody has subscribed to it. Default false.
    /// </summary>
    public bool TraceSystemAccount { get; set; }

    /// <summary>Logs as <c>Broker.Server</c> to what the factory says.</summary>
    /// <returns>These options, for more.</returns>
    public BrokerServerOptions LogTo(ILoggerFactory loggers)
    {
        ArgumentNullException.ThrowIfNull(loggers);
        Logger = loggers.CreateLogger("Broker.Server");
        return this;
    }

    /// <summary>Listens on the loopback address. Port 0 takes a free one; <see cref="BrokerServer.EndPoints"/> tells which.</summary>
    /// <returns>These options, for more.</returns>
    public BrokerServerOptions Listen(int port = DefaultPort) => Listen(new IPEndPoint(IPAddress.Loopback, port));

    /// <summary>
    /// Listens at an address: an <see cref="IPEndPoint"/>, a <see cref="System.Net.Sockets.UnixDomainSocketEndPoint"/>, or an
    /// <see cref="InheritedEndPoint"/> for a socket that the process was started with.
    /// </summary>
    /// <returns>These options, for more.</returns>
    public BrokerServerOptions Listen(EndPoint endPoint)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        _endPoints.Add(endPoint);
        return this;
    }

    /// <summary>
    /// Takes over all that may change while a server runs, for <see cref="BrokerServer.ReloadAsync"/> from options that were made anew; the
    /// addresses, the name, the loops and the logger stay as they are.
    /// </summary>
    /// <param name="other">Whose; it is not changed, and lists are taken over as they are.</param>
    public void CopyChangeableFrom(BrokerServerOptions other)
    {
        ArgumentNullException.ThrowIfNull(other);
        ServerTags = other.ServerTags;
        MaxPayload = other.MaxPayload;
        MaxControlLine = other.MaxControlLine;
        MaxPending = other.MaxPending;
        MaxPendingTotal = other.MaxPendingTotal;
        SlowConsumers = other.SlowConsumers;
        MaxSubscriptions = other.MaxSubscriptions;
        MaxConnections = other.MaxConnections;
        WriteDeadline = other.WriteDeadline;
        PingInterval = other.PingInterval;
        PingMax = other.PingMax;
        ClientAdvertise = other.ClientAdvertise;
        ConnectUrls = other.ConnectUrls;
        TracedPayload = other.TracedPayload;
        TraceSystemAccount = other.TraceSystemAccount;
        Tls = other.Tls;
        MapWebSocketUsers = other.MapWebSocketUsers;
        Users = other.Users;
        Accounts = other.Accounts;
        SystemAccount = other.SystemAccount;
        Token = other.Token;
        NoAuthUser = other.NoAuthUser;
        // A default follows the TLS of whoever has it.
        _authTimeout = other._authTimeout;
        DefaultPermissions = other.DefaultPermissions;
        Authorize = other.Authorize;
        AuthorizeAsync = other.AuthorizeAsync;
        PasswordVerifier = other.PasswordVerifier;
        SignatureVerifier = other.SignatureVerifier;
    }

    /// <summary>A copy for a server to keep: what is changed here later is not changed there.</summary>
    internal BrokerServerOptions Copy()
    {
        ArgumentNullException.ThrowIfNull(ConnectUrls);
        ArgumentNullException.ThrowIfNull(Users);
        ArgumentNullException.ThrowIfNull(Accounts);
        var copy = (BrokerServerOptions)MemberwiseClone();
        copy._endPoints = [.. _endPoints];
        copy.ConnectUrls = [.. ConnectUrls];
        copy.ServerTags = [.. ServerTags];
        copy.Users = [.. Users];
        copy.Accounts = [.. Accounts];
        return copy;
    }

    /// <summary>Says whether a server could start with these, as far as that can be known without starting it: TLS files are read.</summary>
    /// <exception cref="ArgumentException">An option is out of its range, or options contradict each other; the text names it.</exception>
    public void Validate()
    {
        ArgumentNullException.ThrowIfNull(LoopOptions);
        ArgumentNullException.ThrowIfNull(Logger);
        ArgumentNullException.ThrowIfNull(ConnectUrls);
        ArgumentNullException.ThrowIfNull(ServerTags);
        ArgumentNullException.ThrowIfNull(Users);
        ArgumentNullException.ThrowIfNull(Accounts);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxPayload, MostPayload);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxPayload);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxControlLine, 64);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxControlLine, 1024 * 1024);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPending, MaxPayload);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxPendingTotal);
        if (MaxPendingTotal != 0)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingTotal, MaxPending);
        }

        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)SlowConsumers, (int)SlowConsumerPolicy.DropOldest, nameof(SlowConsumers));
        ArgumentOutOfRangeException.ThrowIfNegative((int)SlowConsumers, nameof(SlowConsumers));
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSubscriptions);
        ArgumentOutOfRangeException.ThrowIfNegative(TracedPayload);
        foreach (string address in ClientAdvertise is null ? ConnectUrls : ConnectUrls.Append(ClientAdvertise))
        {
            if (!HostPort.TryParse(address, out _, out _))
            {
                string option = string.Equals(address, ClientAdvertise, StringComparison.Ordinal) ? nameof(ClientAdvertise) : nameof(ConnectUrls);
                throw new ArgumentException($"{option}: \"{address}\" is not of the form host:port.");
            }
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxConnections);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(PingMax);
        RefuseEmptyCredentials();
        _ = new Accounts.AccountPlan(this);
        _ = new Security.SecurityRules(this);
        ValidateMapping();
        Tls?.Validate();
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(PingInterval, TimeSpan.Zero);
        if (WriteDeadline != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(WriteDeadline, TimeSpan.Zero);
        }
    }
}
