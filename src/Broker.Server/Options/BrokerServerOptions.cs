using System.Net;
using Broker.Transport;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Server;

/// <summary>
/// The configuration of a server. The defaults are the same as in nats-server. The server copies the options when it
/// starts; later changes of this object have no effect.
/// </summary>
/// <example><code>
/// var options = new BrokerServerOptions { MaxPayload = 8 * 1024 * 1024, Users = [new User("ada", "secret")] };
/// options.Listen(4222);
/// await using var server = await BrokerServer.StartAsync(options);
/// </code></example>
public sealed partial class BrokerServerOptions
{
    // The parser could not distinguish the length of a longer payload from a number that overflows.
    private const int LargestMaxPayload = 512 * 1024 * 1024;

    private const int LargestMaxTokens = 255;
    private const int LargestSampleInterval = 1_000_000;

    private List<EndPoint> _endPoints = [];

    /// <summary>The default port of NATS servers.</summary>
    public const int DefaultPort = 4222;

    /// <summary>
    /// The addresses to listen on; add them by <see cref="Listen(int)"/>. If empty, the server opens no socket and
    /// accepts in-process connections only.
    /// </summary>
    public IReadOnlyList<EndPoint> EndPoints => _endPoints;

    /// <summary>The server name in INFO. Null, the default: the generated server id.</summary>
    public string? ServerName { get; set; }

    /// <summary>Tags of the server for monitoring, such as <c>region:north</c>. Default: none.</summary>
    public IReadOnlyList<string> ServerTags { get; set; } = [];

    /// <summary>The maximum payload size in bytes, including headers; at most 512 MiB. Default 1 MiB.</summary>
    public int MaxPayload { get; set; } = 1024 * 1024;

    /// <summary>The maximum length of a control line in bytes, without its verb. Default 4096.</summary>
    public int MaxControlLine { get; set; } = 4096;

    /// <summary>
    /// The maximum number of bytes that are queued for one client. Above this limit, <see cref="SlowConsumers"/>
    /// applies to the client. Default 64 MiB.
    /// </summary>
    public long MaxPending { get; set; } = 64L * 1024 * 1024;

    /// <summary>
    /// The maximum number of bytes that are queued for all clients together. 0, the default: a quarter of the heap
    /// limit if the heap is limited (in a container or by <c>DOTNET_GCHeapHardLimit</c>), and otherwise no limit. Above
    /// the limit, the server closes clients as slow consumers until the total is below the limit, whatever the policy:
    /// first the client with the most queued bytes. The server checks the total each time an event loop has written
    /// another 1/16 of the limit, so each loop can exceed the limit by this amount for a moment.
    /// </summary>
    public long MaxPendingTotal { get; set; }

    /// <summary>
    /// The policy for clients that do not receive fast enough. Default: the server closes them, as nats-server does.
    /// </summary>
    public SlowConsumerPolicy SlowConsumers { get; set; }

    /// <summary>
    /// Whether the server slows down a client that publishes faster than a subscriber reads. The server reads less from
    /// this publisher while more than half of <see cref="MaxPending"/> is queued for the subscriber. The option has an
    /// effect only with <see cref="SlowConsumerPolicy.Disconnect"/>. Default true; if false, the server closes the
    /// subscriber sooner.
    /// </summary>
    public bool StallFastPublishers { get; set; } = true;

    /// <summary>
    /// The maximum number of subscriptions of one client. 0, the default, means no limit. But if the heap is limited
    /// (in a container or by <c>DOTNET_GCHeapHardLimit</c>), 0 means one subscription for each 2 KiB of the heap. With
    /// a limited heap, the subscriptions of all clients together may use about a quarter of the heap.
    /// </summary>
    public int MaxSubscriptions { get; set; }

    /// <summary>
    /// The maximum number of tokens of a subject that a client subscribes to, at most 255. A client that subscribes to
    /// a longer one gets a permissions violation. 0, the default, for no limit.
    /// </summary>
    public int MaxSubscriptionTokens { get; set; }

    /// <summary>The maximum number of connected clients. Default 65,536.</summary>
    public int MaxConnections { get; set; } = 65_536;

    /// <summary>
    /// The maximum time in which a client may accept no bytes while bytes are queued for it. After this time, the
    /// server closes the connection. Default 10 s; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </summary>
    public TimeSpan WriteDeadline { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// If the server receives no byte from a client for this time, it sends a PING to the client. Default 2 min.
    /// </summary>
    public TimeSpan PingInterval { get; set; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// The number of unanswered PINGs after which the server closes the connection; at least 1. Default 2.
    /// </summary>
    public int PingMax { get; set; } = 2;

    /// <summary>
    /// The <c>host:port</c> that INFO contains in place of the listening address, for a server that clients reach by
    /// another address. Null, the default: the listening address.
    /// </summary>
    public string? ClientAdvertise { get; set; }

    /// <summary>
    /// Other servers that clients can use if this server is not available, each as <c>host:port</c>. INFO contains them
    /// as <c>connect_urls</c>. Default: none.
    /// </summary>
    public IReadOnlyList<string> ConnectUrls { get; set; } = [];

    /// <summary>
    /// The event loops to run on; the application owns the loops and may share them. Null, the default: the server
    /// creates loops with <see cref="LoopOptions"/>, and disposes these loops when it is disposed.
    /// </summary>
    public EventLoopGroup? Loops { get; set; }

    /// <summary>The options of the event loops that the server creates if <see cref="Loops"/> is null.</summary>
    public EventLoopOptions LoopOptions { get; set; } = new();

    /// <summary>The logger of the server. Default: no logging.</summary>
    public ILogger Logger { get; set; } = NullLogger.Instance;

    /// <summary>
    /// The maximum number of payload bytes in the protocol trace, which is logged at <see cref="LogLevel.Trace"/>; 0
    /// for whole payloads. Default 1,024.
    /// </summary>
    public int TracedPayload { get; set; } = 1024;

    /// <summary>
    /// Whether the protocol trace also contains the messages that the server itself publishes in the system account.
    /// Messages without a subscriber are not traced. Default false.
    /// </summary>
    public bool TraceSystemAccount { get; set; }

    /// <summary>
    /// One of so many messages is sampled to find the subjects with the most traffic, which
    /// <see cref="BrokerServer.InspectSubjects"/> returns. Each event loop keeps at most 256 subjects. 0, the default,
    /// for no sampling; at most 1,000,000.
    /// </summary>
    public int SampleSubjects { get; set; }

    /// <summary>Logs to a logger of the factory with the category <c>Broker.Server</c>.</summary>
    /// <returns>The same options, for chaining.</returns>
    public BrokerServerOptions LogTo(ILoggerFactory loggers)
    {
        ArgumentNullException.ThrowIfNull(loggers);
        Logger = loggers.CreateLogger("Broker.Server");
        return this;
    }

    /// <summary>
    /// Adds the loopback address as an address to listen on. With port 0 the operating system chooses a free port; read
    /// it from <see cref="BrokerServer.EndPoints"/>.
    /// </summary>
    /// <returns>The same options, for chaining.</returns>
    public BrokerServerOptions Listen(int port = DefaultPort) => Listen(new IPEndPoint(IPAddress.Loopback, port));

    /// <summary>
    /// Adds an address to listen on: an <see cref="IPEndPoint"/>, a
    /// <see cref="System.Net.Sockets.UnixDomainSocketEndPoint"/>, or an <see cref="InheritedEndPoint"/> for a socket
    /// that the process inherited.
    /// </summary>
    /// <returns>The same options, for chaining.</returns>
    public BrokerServerOptions Listen(EndPoint endPoint)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        _endPoints.Add(endPoint);
        return this;
    }

    /// <summary>
    /// Copies from other options all options that may change while a server runs, for
    /// <see cref="BrokerServer.ReloadAsync"/>. The addresses, the name, the loops and the logger are not copied.
    /// </summary>
    /// <param name="other">The options to copy from. They are not changed; lists are copied by reference.</param>
    public void CopyChangeableFrom(BrokerServerOptions other)
    {
        ArgumentNullException.ThrowIfNull(other);
        ServerTags = other.ServerTags;
        MaxPayload = other.MaxPayload;
        MaxControlLine = other.MaxControlLine;
        MaxPending = other.MaxPending;
        MaxPendingTotal = other.MaxPendingTotal;
        SlowConsumers = other.SlowConsumers;
        StallFastPublishers = other.StallFastPublishers;
        MaxSubscriptions = other.MaxSubscriptions;
        MaxSubscriptionTokens = other.MaxSubscriptionTokens;
        MaxConnections = other.MaxConnections;
        WriteDeadline = other.WriteDeadline;
        PingInterval = other.PingInterval;
        PingMax = other.PingMax;
        ClientAdvertise = other.ClientAdvertise;
        ConnectUrls = other.ConnectUrls;
        TracedPayload = other.TracedPayload;
        TraceSystemAccount = other.TraceSystemAccount;
        SampleSubjects = other.SampleSubjects;
        Tls = other.Tls;
        MapWebSocketUsers = other.MapWebSocketUsers;
        Users = other.Users;
        Accounts = other.Accounts;
        SystemAccount = other.SystemAccount;
        Operator = other.Operator;
        Mappings = other.Mappings;
        Token = other.Token;
        NoAuthUser = other.NoAuthUser;
        // Copy the field and not the property: the default depends on the TLS options.
        _authTimeout = other._authTimeout;
        DefaultPermissions = other.DefaultPermissions;
        Authorize = other.Authorize;
        AuthorizeAsync = other.AuthorizeAsync;
        PasswordVerifier = other.PasswordVerifier;
        SignatureVerifier = other.SignatureVerifier;
        AuthCallout = other.AuthCallout;
        CreateServerKeys = other.CreateServerKeys;
    }

    /// <summary>Creates a copy for a server. Later changes of this object do not affect the copy.</summary>
    internal BrokerServerOptions Copy()
    {
        ArgumentNullException.ThrowIfNull(ConnectUrls);
        ArgumentNullException.ThrowIfNull(Users);
        ArgumentNullException.ThrowIfNull(Accounts);
        ArgumentNullException.ThrowIfNull(Mappings);
        var copy = (BrokerServerOptions)MemberwiseClone();
        copy._endPoints = [.. _endPoints];
        copy.ConnectUrls = [.. ConnectUrls];
        copy.ServerTags = [.. ServerTags];
        copy.Users = [.. Users];
        copy.Accounts = [.. Accounts];
        copy.Mappings = [.. Mappings];
        return copy;
    }

    /// <summary>
    /// Checks the options without starting a server. The check reads the TLS files; it does not open the addresses.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, or options contradict each other; the message names the option.
    /// </exception>
    public void Validate()
    {
        ArgumentNullException.ThrowIfNull(LoopOptions);
        ArgumentNullException.ThrowIfNull(Logger);
        ArgumentNullException.ThrowIfNull(ConnectUrls);
        ArgumentNullException.ThrowIfNull(ServerTags);
        ArgumentNullException.ThrowIfNull(Users);
        ArgumentNullException.ThrowIfNull(Accounts);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxPayload, LargestMaxPayload);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxPayload);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxControlLine, 64);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxControlLine, 1024 * 1024);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPending, MaxPayload);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxPendingTotal);
        if (MaxPendingTotal != 0)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingTotal, MaxPending);
        }

        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            (int)SlowConsumers, (int)SlowConsumerPolicy.DropOldest, nameof(SlowConsumers));
        ArgumentOutOfRangeException.ThrowIfNegative((int)SlowConsumers, nameof(SlowConsumers));
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSubscriptions);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSubscriptionTokens);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxSubscriptionTokens, LargestMaxTokens);
        ArgumentOutOfRangeException.ThrowIfNegative(TracedPayload);
        ArgumentOutOfRangeException.ThrowIfNegative(SampleSubjects);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(SampleSubjects, LargestSampleInterval);
        foreach (string address in ClientAdvertise is null ? ConnectUrls : ConnectUrls.Append(ClientAdvertise))
        {
            if (!HostPort.TryParse(address, out _, out _))
            {
                bool isAdvertised = string.Equals(address, ClientAdvertise, StringComparison.Ordinal);
                string option = isAdvertised ? nameof(ClientAdvertise) : nameof(ConnectUrls);
                throw new ArgumentException($"{option}: \"{address}\" is not of the form host:port.");
            }
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxConnections);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(PingMax);
        CheckForEmptyCredentials();
        CheckCallout();
        OperatorMode? tokens = CreateOperatorMode(TimeProvider.System);
        _ = CreatePlan(tokens);
        _ = new SecurityRules(this, tokens);
        ValidateMapping();
        Tls?.Validate();
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(PingInterval, TimeSpan.Zero);
        if (WriteDeadline != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(WriteDeadline, TimeSpan.Zero);
        }
    }
}
