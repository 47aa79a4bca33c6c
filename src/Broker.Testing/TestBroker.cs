using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Client;
using Broker.Server;
using Broker.Streams;
using Broker.Transport;

namespace Broker.Testing;

/// <summary>
/// A broker for one test, in the test's process, with a client that is already connected. Any number of brokers may run
/// in parallel. Each broker has a port that the system chose and its own threads, and shares nothing with other
/// brokers.
/// </summary>
/// <remarks>Thread-safe. Disposing the broker closes its clients and recorders too.</remarks>
/// <example><code>
/// await using var broker = await TestBroker.StartAsync();
/// </code></example>
public sealed class TestBroker : IAsyncDisposable
{
    private readonly EventLoopGroup _loops;
    private readonly ClientOptions _clientOptions;
    private readonly SemaphoreSlim _recording = new(1, 1);
    private readonly RecorderRegister _recorders = new();
    private BrokerConnection? _recorderConnection;
    private TimeSpan? _waitTimeout;
    private int _disposed;

    private TestBroker(BrokerServer server, EventLoopGroup loops, ClientOptions clientOptions, BrokerConnection client)
    {
        Server = server;
        _loops = loops;
        _clientOptions = clientOptions;
        Client = client;
    }

    /// <summary>The server itself, for everything that this class does not offer.</summary>
    public BrokerServer Server { get; }

    /// <summary>
    /// A connected client that uses no socket. All clients of a test share one thread. A handler that blocks delays the
    /// clients of its own test, but neither the broker nor other tests.
    /// </summary>
    public BrokerConnection Client { get; }

    /// <summary>The first address that the broker listens on.</summary>
    public EndPoint EndPoint => Server.EndPoints[0];

    /// <summary>
    /// The URL of the broker for a program, without credentials: <c>nats://127.0.0.1:49213</c>, or with the scheme
    /// <c>tls</c> or <c>unix</c>.
    /// </summary>
    public string ConnectionString { get; private init; } = "";

    private DirectoryInfo? StreamsDirectory { get; init; }

    /// <summary>
    /// The time after which a wait fails with an <see cref="ExpectationException"/>. Recorders that are created later
    /// use the same value. The time only ends tests that hang, so it need not be tuned. Default: 30 s. If no value is
    /// set, the assertions of recorders fail earlier: when no message has come for 2 s.
    /// <see cref="Timeout.InfiniteTimeSpan"/> means no limit, for example under a debugger.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The value is neither positive nor <see cref="Timeout.InfiniteTimeSpan"/>, or is longer than 20 days.
    /// </exception>
    public TimeSpan WaitTimeout
    {
        get => _waitTimeout ?? Waiting.DefaultTimeout;
        set
        {
            Waiting.Validate(value);
            _waitTimeout = value;
        }
    }

    /// <summary>Starts a broker. Programs can connect when the task has completed.</summary>
    /// <param name="configure">
    /// Changes the options: users, limits, TLS. If it adds no address, the broker listens on a free port of 127.0.0.1.
    /// Null means the default options.
    /// </param>
    /// <param name="client">
    /// The options of <see cref="Client"/> and of recorders, and the default options for
    /// <see cref="ConnectAsync(ClientOptions?, CancellationToken)"/>. The broker sets the dialer, the event loops, and
    /// a connect timeout that is long enough for a busy machine. If the options have no credentials, the clients use
    /// the broker's first user, or the broker's token if it has no user. They need no password.
    /// </param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <exception cref="ListenException">The broker cannot listen on an address that <paramref name="configure"/> has
    /// added.</exception>
    /// <exception cref="ArgumentException">An option is out of range.</exception>
    /// <exception cref="AuthorizationException">The broker refuses the credentials in
    /// <paramref name="client"/>.</exception>
    public static Task<TestBroker> StartAsync(
        Action<BrokerServerOptions>? configure = null, ClientOptions? client = null, CancellationToken cancellationToken = default)
        => StartCoreAsync(configure, client, null, cancellationToken);

    /// <summary>
    /// Starts a broker with streams, which programs use by the JetStream API. The streams are in a temporary directory,
    /// which is deleted with the broker.
    /// </summary>
    /// <param name="configure">As for <see cref="StartAsync"/>.</param>
    /// <param name="client">As for <see cref="StartAsync"/>.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <inheritdoc cref="StartAsync" path="/exception"/>
    public static async Task<TestBroker> StartWithStreamsAsync(
        Action<BrokerServerOptions>? configure = null, ClientOptions? client = null, CancellationToken cancellationToken = default)
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("broker-test-");
        try
        {
            return await StartCoreAsync(configure, client, directory, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            directory.Delete(recursive: true);
            throw;
        }
    }

    private static async Task<TestBroker> StartCoreAsync(
        Action<BrokerServerOptions>? configure, ClientOptions? client, DirectoryInfo? directory, CancellationToken cancellationToken)
    {
        // There is one loop. So everything that a client has sent before another client's PING is processed before the
        // answer to that PING. The timeout is long because tests in parallel leave little processor time for a client
        // that connects.
        var options = new BrokerServerOptions
        {
            LoopOptions = new EventLoopOptions { Loops = 1, ThreadName = "test broker" },
            AuthTimeout = Waiting.DefaultTimeout,
        };
        configure?.Invoke(options);
        if (options.EndPoints.Count == 0)
        {
            options.Listen(0);
        }

        BrokerServer server = await (directory is null
            ? BrokerServer.StartAsync(options, cancellationToken)
            : BrokerServer.StartAsync(options, ServerStreams.In(directory.FullName), cancellationToken)).ConfigureAwait(false);
        EventLoopGroup? loops = null;
        try
        {
            loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, ThreadName = "test client" });
            ClientOptions clients = CompleteClient(client ?? new ClientOptions(), options);
            BrokerConnection connection = await ConnectAsync(server, loops, clients, cancellationToken).ConfigureAwait(false);
            return new TestBroker(server, loops, clients, connection) { ConnectionString = UrlOf(server.EndPoints[0], options.Tls is not null), StreamsDirectory = directory };
        }
        catch
        {
            await server.DisposeAsync().ConfigureAwait(false);
            loops?.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Connects another client that uses no socket. The caller may dispose the client. Otherwise the client closes with
    /// the broker.
    /// </summary>
    /// <param name="options">
    /// The options. The broker sets the dialer and the event loops. Null means the options of <see cref="Client"/>.
    /// </param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <exception cref="AuthorizationException">The broker refuses the credentials.</exception>
    public Task<BrokerConnection> ConnectAsync(ClientOptions? options = null, CancellationToken cancellationToken = default)
        => ConnectAsync(Server, _loops, options ?? _clientOptions, cancellationToken);

    /// <summary>
    /// Starts to record all messages that match a filter, with the permissions of <see cref="Client"/>. Each message
    /// that is published after the task has completed is recorded. The caller may dispose the recorder. Otherwise the
    /// recorder closes with the broker.
    /// </summary>
    /// <param name="filter">
    /// The subject. <c>*</c> matches one token, and <c>&gt;</c> as the last token matches one or more tokens.
    /// </param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <exception cref="ArgumentException">The filter is not valid.</exception>
    public async Task<MessageRecorder> RecordAsync(string filter, CancellationToken cancellationToken = default)
    {
        await _recording.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            // Recorders have a connection of their own. So a handler of the client cannot delay them, and their
            // subscriptions can be told apart from the client's subscriptions.
            _recorderConnection ??= await ConnectAsync(_clientOptions with { Name = "recorder" }, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _recording.Release();
        }

        return await MessageRecorder.StartAsync(_recorderConnection, filter, _recorders, _waitTimeout, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Waits until a message to <paramref name="subject"/> would reach at least <paramref name="count"/> subscriptions.
    /// A test does this before it publishes to a program that has just started. Subscriptions of recorders do not
    /// count. Every member of a queue group counts.
    /// </summary>
    /// <param name="subject">A subject without wildcards.</param>
    /// <param name="count">The required number of subscriptions.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">The subject is not valid for publishing.</exception>
    /// <exception cref="ExpectationException">
    /// There were fewer subscriptions within <see cref="WaitTimeout"/>.
    /// </exception>
    public Task WaitForSubscribersAsync(string subject, int count = 1, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(subject);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        if (!Broker.Protocol.Subject.IsValidLiteral(Encoding.UTF8.GetBytes(subject)))
        {
            throw new ArgumentException("A subject must consist of non-empty tokens separated by dots, without white space or wildcards.", nameof(subject));
        }

        var query = new SubscriptionQuery { Subject = subject, Limit = ConnectionQuery.MaxListedSubscriptions };
        return Waiting.UntilAsync(
            WaitTimeout,
            async () =>
            {
                // A recorder may start or stop while the server is asked. So the register is read before and after, and
                // the larger number is subtracted. If this number is too large, a later check corrects it.
                int recorders = _recorders.CountFor(subject);
                SubscriptionPage page = await Server.InspectSubscriptionsAsync(query, cancellationToken).ConfigureAwait(false);
                return page.Subscriptions.Count - Math.Max(recorders, _recorders.CountFor(subject)) >= count;
            },
            async () =>
            {
                SubscriptionPage all = await Server.InspectSubscriptionsAsync(new SubscriptionQuery(), cancellationToken).ConfigureAwait(false);
                return Expectations.Text(
                    $"Expected {Expectations.Count(count, "subscriber")} of '{subject}' within {Waiting.Describe(WaitTimeout)}. All subscriptions:",
                    [.. all.Subscriptions.Select(s => s.Queue is null ? s.Subject : $"{s.Subject} (queue group {s.Queue})")]);
            },
            cancellationToken);
    }

    /// <summary>
    /// Waits until exactly <paramref name="count"/> clients are connected. <see cref="Client"/> and the recorders do
    /// not count. For example, with 0 a test waits until a program has disconnected.
    /// </summary>
    /// <exception cref="ExpectationException">
    /// The number was never equal to <paramref name="count"/> during <see cref="WaitTimeout"/>.
    /// </exception>
    public Task WaitForConnectionsAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        return Waiting.UntilAsync(
            WaitTimeout,
            () => Task.FromResult(Others() == count),
            () => Task.FromResult(
                $"Expected {Expectations.Count(count, "connection")} within {Waiting.Describe(WaitTimeout)}, but there are {Others()}."),
            cancellationToken);
    }

    /// <summary>
    /// Opens a link to this broker that injects faults on request. Programs connect to the link's
    /// <see cref="FaultLink.Address"/> instead of the broker's address.
    /// </summary>
    /// <exception cref="InvalidOperationException">The first address of the broker is not a TCP port.</exception>
    public FaultLink OpenLink()
        => EndPoint is IPEndPoint ip
            ? FaultLink.Open(Reachable(ip))
            : throw new InvalidOperationException($"A link needs a TCP port, but the first address of the broker is {EndPoint}.");

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        if (_recorderConnection is not null)
        {
            await _recorderConnection.DisposeAsync().ConfigureAwait(false);
        }

        await Client.DisposeAsync().ConfigureAwait(false);
        await Server.DisposeAsync().ConfigureAwait(false);
        StreamsDirectory?.Delete(recursive: true);
        _loops.Dispose();
        _recording.Dispose();
    }

    private int Others()
    {
        int own = (Client.State == ConnectionState.Connected ? 1 : 0) + (_recorderConnection is { State: ConnectionState.Connected } ? 1 : 0);
        return Server.Snapshot().Connections - own;
    }

    private static Task<BrokerConnection> ConnectAsync(
        BrokerServer server, EventLoopGroup loops, ClientOptions options, CancellationToken cancellationToken)
    {
        // A user needs no password to connect from this process. But if the options have a password, the broker checks
        // the password, as it does over TCP.
        string? user = options is { User: { } name, Password: null } ? name : null;
        return BrokerConnection.ConnectAsync(
            options with
            {
                Dialer = server.CreateDialer(user),
                Loops = loops,
                User = user is null ? options.User : null,
                // This connect uses no network. It can only be slow while it waits for processor time.
                ConnectTimeout = options.ConnectTimeout > Waiting.DefaultTimeout ? options.ConnectTimeout : Waiting.DefaultTimeout,
            },
            cancellationToken);
    }

    private static ClientOptions CompleteClient(ClientOptions client, BrokerServerOptions server)
    {
        bool shows = client.User is not null || client.Token is not null || client.Nkey is not null || client.Jwt is not null;
        if (shows || server.NoAuthUser is not null)
        {
            return client;
        }

        User? first = server.Users.Concat(server.Accounts.SelectMany(a => a.Users)).FirstOrDefault();
        return first is not null ? client with { User = first.Name } : client with { Token = server.Token };
    }

    private static string UrlOf(EndPoint endPoint, bool isTls)
        => endPoint switch
        {
            IPEndPoint ip => $"{(isTls ? "tls" : "nats")}://{Reachable(ip)}",
            UnixDomainSocketEndPoint unix => $"unix://{unix}",
            _ => endPoint.ToString() ?? "",
        };

    // A server that listens on all addresses can be reached at the loopback address.
    private static IPEndPoint Reachable(IPEndPoint endPoint)
        => endPoint.Address.Equals(IPAddress.Any) ? new IPEndPoint(IPAddress.Loopback, endPoint.Port)
            : endPoint.Address.Equals(IPAddress.IPv6Any) ? new IPEndPoint(IPAddress.IPv6Loopback, endPoint.Port)
            : endPoint;
}
