using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Client;
using Broker.Client.Errors;
using Broker.Server;
using Broker.Server.Monitoring;
using Broker.Server.Security;
using Broker.Testing.Links;
using Broker.Testing.Recording;
using Broker.Transport;

namespace Broker.Testing;

/// <summary>
/// A broker of a test's own, in the test's process, with a client that is connected to it already. Any number of them run side by side:
/// each has a port that the kernel chose, threads of its own, and nothing that another one could see.
/// </summary>
/// <remarks>Thread-safe. Disposing it closes its clients, its recorders and the broker, and leaves nothing behind.</remarks>
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
    private TimeSpan _patience = Waiting.DefaultPatience;
    private int _disposed;

    private TestBroker(BrokerServer server, EventLoopGroup loops, ClientOptions clientOptions, BrokerConnection client)
    {
        Server = server;
        _loops = loops;
        _clientOptions = clientOptions;
        Client = client;
    }

    /// <summary>The server itself, for all that it can do.</summary>
    public BrokerServer Server { get; }

    /// <summary>
    /// A client that is connected, without a socket. It has a thread of its own: a handler that blocks holds up this test's clients, and
    /// neither the broker nor another test.
    /// </summary>
    public BrokerConnection Client { get; }

    /// <summary>The first address that it listens on, which has no name and no password in it.</summary>
    public EndPoint EndPoint => Server.EndPoints[0];

    /// <summary>The same as a program is told it: <c>nats://127.0.0.1:49213</c>, or with <c>tls</c> or <c>unix</c> as its scheme.</summary>
    public string ConnectionString { get; private init; } = "";

    /// <summary>
    /// After how long a wait gives up with an <see cref="ExpectationException"/>; also that of recorders which are made later. A guard
    /// against tests that hang, not a limit to be tuned. Default 30 s; <see cref="Timeout.InfiniteTimeSpan"/> for none, as under a debugger.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not positive.</exception>
    public TimeSpan Patience
    {
        get => _patience;
        set
        {
            Waiting.Validate(value);
            _patience = value;
        }
    }

    /// <summary>Starts a broker. When the task is done, programs can connect.</summary>
    /// <param name="configure">
    /// Changes how it is set up: users, limits, TLS. It listens on a free port of 127.0.0.1 unless this names addresses. Null for the defaults.
    /// </param>
    /// <param name="client">
    /// How <see cref="Client"/>, recorders and those of <see cref="ConnectAsync(ClientOptions?, CancellationToken)"/> come in, unless that is told otherwise; the way to the broker, the
    /// threads and a time that does not run out on a busy machine are chosen here. Null: with the token, or as the first user, where the broker has any, and no password is needed.
    /// </param>
    /// <param name="cancellationToken">Ends the start.</param>
    /// <exception cref="ListenException">An address that <paramref name="configure"/> named cannot be had.</exception>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="AuthorizationException">The broker does not let such a client in.</exception>
    public static async Task<TestBroker> StartAsync(
        Action<BrokerServerOptions>? configure = null, ClientOptions? client = null, CancellationToken cancellationToken = default)
    {
        // One loop: what a client has sent before another one asks is in the answer to that. Time to come in for who waits for a processor, of which tests
        // that run side by side leave little.
        var options = new BrokerServerOptions
        {
            LoopOptions = new EventLoopOptions { Loops = 1, ThreadName = "test broker" },
            AuthTimeout = Waiting.DefaultPatience,
        };
        configure?.Invoke(options);
        if (options.EndPoints.Count == 0)
        {
            options.Listen(0);
        }

        BrokerServer server = await BrokerServer.StartAsync(options, cancellationToken).ConfigureAwait(false);
        EventLoopGroup? loops = null;
        try
        {
            loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, ThreadName = "test client" });
            ClientOptions clients = CompleteClient(client ?? new ClientOptions(), options);
            BrokerConnection connection = await ConnectAsync(server, loops, clients, cancellationToken).ConfigureAwait(false);
            return new TestBroker(server, loops, clients, connection) { ConnectionString = UrlOf(server.EndPoints[0], options.Tls is not null) };
        }
        catch
        {
            await server.DisposeAsync().ConfigureAwait(false);
            loops?.Dispose();
            throw;
        }
    }

    /// <summary>Connects one more client without a socket. The caller's to dispose; it ends with the broker otherwise.</summary>
    /// <param name="options">How it comes in; the way to the broker and the threads are chosen here. Null: as <see cref="Client"/>.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="AuthorizationException">The broker does not let it in.</exception>
    public Task<BrokerConnection> ConnectAsync(ClientOptions? options = null, CancellationToken cancellationToken = default)
        => ConnectAsync(Server, _loops, options ?? _clientOptions, cancellationToken);

    /// <summary>
    /// Records all messages that a filter stands for, from the return on, as one who may see what <see cref="Client"/> may. The caller's to
    /// dispose; it ends with the broker otherwise.
    /// </summary>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="ArgumentException">The filter is not valid.</exception>
    public async Task<MessageRecorder> RecordAsync(string filter, CancellationToken cancellationToken = default)
    {
        await _recording.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            // A connection beside the client's: its handlers cannot hold it up, and what it subscribes to can be told from all else.
            _recorderConnection ??= await ConnectAsync(_clientOptions with { Name = "recorder" }, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _recording.Release();
        }

        return await MessageRecorder.StartAsync(_recorderConnection, filter, _recorders, Patience, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Waits until a message to <paramref name="subject"/> would go to at least <paramref name="count"/> subscriptions: what a test does before it
    /// publishes to a program that has just been started. Recorders do not count; every member of a queue group does.
    /// </summary>
    /// <param name="subject">A subject without wildcards.</param>
    /// <param name="count">How many there must be.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">The subject is not one that can be published to.</exception>
    /// <exception cref="ExpectationException">There were not as many within <see cref="Patience"/>.</exception>
    public Task WaitForSubscribersAsync(string subject, int count = 1, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(subject);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        if (!Protocol.Subjects.Subject.IsValidLiteral(Encoding.UTF8.GetBytes(subject)))
        {
            throw new ArgumentException("A subject consists of tokens separated by dots, none of them empty, without white space and wildcards.", nameof(subject));
        }

        var query = new SubscriptionQuery { Subject = subject, Limit = ConnectionQuery.MostListedSubscriptions };
        return Waiting.UntilAsync(
            Patience,
            async () =>
            {
                // A recorder that comes or goes meanwhile may be counted in either look: then the next one finds what is missing.
                int recorders = _recorders.CountFor(subject);
                SubscriptionPage page = await Server.InspectSubscriptionsAsync(query, cancellationToken).ConfigureAwait(false);
                return page.Subscriptions.Count - Math.Max(recorders, _recorders.CountFor(subject)) >= count;
            },
            async () =>
            {
                SubscriptionPage all = await Server.InspectSubscriptionsAsync(new SubscriptionQuery(), cancellationToken).ConfigureAwait(false);
                return Expectations.Text(
                    $"Expected {Expectations.Count(count, "subscriber")} of '{subject}' within {Waiting.Describe(Patience)}. All subscriptions:",
                    [.. all.Subscriptions.Select(s => s.Queue is null ? s.Subject : $"{s.Subject} (queue group {s.Queue})")]);
            },
            cancellationToken);
    }

    /// <summary>
    /// Waits until exactly <paramref name="count"/> clients are connected beside <see cref="Client"/> and the recorders: none, for one, once a
    /// program has ended.
    /// </summary>
    /// <exception cref="ExpectationException">It was another number all through <see cref="Patience"/>.</exception>
    public Task WaitForConnectionsAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        return Waiting.UntilAsync(
            Patience,
            () => Task.FromResult(Others() == count),
            () => Task.FromResult(
                $"Expected {Expectations.Count(count, "connection")} within {Waiting.Describe(Patience)}, and there are {Others()}."),
            cancellationToken);
    }

    /// <summary>Puts a link between programs and this broker that fails on demand; programs connect to its <see cref="FaultLink.Address"/>.</summary>
    /// <exception cref="InvalidOperationException">The broker listens on no TCP port first.</exception>
    public FaultLink OpenLink()
        => EndPoint is IPEndPoint ip
            ? FaultLink.Open(Reachable(ip))
            : throw new InvalidOperationException($"A link leads to a TCP port, and the broker listens on {EndPoint} first.");

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
        // A user of the broker's own needs no password here; whoever shows one is asked for it as over TCP.
        string? user = options is { User: { } name, Password: null } ? name : null;
        return BrokerConnection.ConnectAsync(
            options with
            {
                Dialer = server.Connect(user),
                Loops = loops,
                User = user is null ? options.User : null,
                // Nothing is waited for here but a processor.
                ConnectTimeout = options.ConnectTimeout > Waiting.DefaultPatience ? options.ConnectTimeout : Waiting.DefaultPatience,
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

    // Who listens everywhere is reached at the loopback address.
    private static IPEndPoint Reachable(IPEndPoint endPoint)
        => endPoint.Address.Equals(IPAddress.Any) ? new IPEndPoint(IPAddress.Loopback, endPoint.Port)
            : endPoint.Address.Equals(IPAddress.IPv6Any) ? new IPEndPoint(IPAddress.IPv6Loopback, endPoint.Port)
            : endPoint;
}
