using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// A server for the NATS client protocol that runs in this process. A process can run several servers; they share no
/// state.
/// </summary>
/// <remarks>
/// Thread-safe. <see cref="DisposeAsync"/> closes everything at once; <see cref="DrainAsync"/> delivers queued messages
/// first.
/// </remarks>
/// <example><code>
/// await using var server = await BrokerServer.StartAsync(o => o.Listen(4222), cancellationToken);
/// </code></example>
public sealed partial class BrokerServer : IAsyncDisposable
{
    /// <summary>The version in INFO: the version of nats-server with the same client protocol.</summary>
    public const string ProtocolVersion = ServerIdentity.ProtocolVersion;

    private readonly ServerCore _core;
    private readonly SystemEvents _events;
    private readonly ServerInspector _inspector;
    private readonly SystemRequests _requests;
    private readonly AccountUpdates _accounts;
    private readonly ServerResolver? _resolver;
    private readonly ServerReload _reload;
    private readonly ServerShutdown _shutdown;
    private readonly bool _ownsLoops;
    private readonly ListenerSet _listeners;
    private int _disposed;

    private BrokerServer(ServerCore core, EventLoopGroup loops, bool ownsLoops)
    {
        _core = core;
        var traffic = new AccountTraffic(core);
        var json = new SystemJson(core);
        _inspector = new ServerInspector(core, loops, traffic);
        core.Events = _events = new SystemEvents(core, loops, json, traffic, Inspect);
        _requests = new SystemRequests(core, _events, new RequestAnswers(core, _inspector, Inspect, json, traffic));
        _accounts = new AccountUpdates(core, _requests);
        _resolver = ServerResolver.Create(core, _accounts, _requests, json);
        _requests.Subscribe();
        _reload = new ServerReload(core, _requests, _accounts);
        _shutdown = new ServerShutdown(core, loops, _events);
        _listeners = new ListenerSet(core, loops);
        Loops = loops;
        _ownsLoops = ownsLoops;
        loops.ConnectionBudget.Exhausted += OnBudgetExhausted;
    }

    /// <summary>
    /// The addresses that the server listens on, in the order of the options. For port 0 in the options, the address
    /// contains the port that the operating system chose.
    /// </summary>
    public IReadOnlyList<EndPoint> EndPoints => _listeners.EndPoints;

    /// <summary>
    /// The event loops of the server. An in-process client on one of these loops exchanges messages with connections of
    /// the same loop without waking another thread.
    /// </summary>
    public EventLoopGroup Loops { get; }

    /// <summary>
    /// The current limit on connected clients; see <see cref="BrokerServerOptions.MaxConnections"/>.
    /// </summary>
    public int MaxConnections => _core.Options.MaxConnections;

    /// <summary>
    /// Closes the connection of a client, without an error message to it. The connections page shows the reason
    /// <c>Kicked</c>. Thread-safe.
    /// </summary>
    /// <param name="id">The id of the client, as in INFO.</param>
    /// <returns>False if no such client is connected.</returns>
    public bool CloseClient(ulong id)
    {
        if (_core.EnumerateSessions().FirstOrDefault(s => s.Id == id) is not { } session)
        {
            return false;
        }

        session.Loop.Run(() => session.Channel.CloseSilently(CloseText.Kicked));
        return true;
    }

    /// <summary>
    /// The server calls this callback on a thread-pool thread when a client in the system account sends the request
    /// <c>$SYS.REQ.SERVER.&lt;id&gt;.RELOAD</c>. The callback reads the program's configuration again and applies it by
    /// <see cref="ReloadAsync"/>. If the task fails, the requester receives the message of the exception. Null, the
    /// default: the server answers the request with an error.
    /// </summary>
    public Func<Task>? RereadConfiguration
    {
        get => _core.RereadConfiguration;
        set => _core.RereadConfiguration = value;
    }

    /// <summary>The server name in INFO.</summary>
    public string Name => _core.Identity.Name;

    /// <inheritdoc cref="StartAsync(BrokerServerOptions, CancellationToken)"/>
    public static Task<BrokerServer> StartAsync(
        Action<BrokerServerOptions> configure, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(configure);
        var options = new BrokerServerOptions();
        configure(options);
        return StartAsync(options, cancellationToken);
    }

    /// <summary>Starts a server. Clients can connect when the task has completed.</summary>
    /// <exception cref="ListenException">The server cannot listen on an address.</exception>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, or options contradict each other; the message names the option.
    /// </exception>
    public static Task<BrokerServer> StartAsync(BrokerServerOptions options, CancellationToken cancellationToken = default)
        => StartCoreAsync(options, null, cancellationToken);

    /// <inheritdoc cref="StartAsync(BrokerServerOptions, Func{BrokerServer, CancellationToken, Task{IServerStreams}}, CancellationToken)"/>
    public static Task<BrokerServer> StartAsync(
        Action<BrokerServerOptions> configure,
        Func<BrokerServer, CancellationToken, Task<IServerStreams>> startStreams,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(configure);
        var options = new BrokerServerOptions();
        configure(options);
        return StartAsync(options, startStreams, cancellationToken);
    }

    /// <summary>
    /// Starts a server with streams. Clients can connect when the task has completed, and the streams are there for the
    /// first of them. The server disposes the streams when it is disposed.
    /// </summary>
    /// <param name="options">The options.</param>
    /// <param name="startStreams">
    /// Starts the streams before the server listens, such as <c>ServerStreams.In("data")</c> of the package
    /// <c>Broker.Streams</c>. If it fails, the server does not start, and the task fails with its exception.
    /// </param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <inheritdoc cref="StartAsync(BrokerServerOptions, CancellationToken)" path="/exception"/>
    public static Task<BrokerServer> StartAsync(
        BrokerServerOptions options,
        Func<BrokerServer, CancellationToken, Task<IServerStreams>> startStreams,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(startStreams);
        return StartCoreAsync(options, startStreams, cancellationToken);
    }

    private static async Task<BrokerServer> StartCoreAsync(
        BrokerServerOptions options, Func<BrokerServer, CancellationToken, Task<IServerStreams>>? startStreams, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.Copy();
        options.Validate();
        cancellationToken.ThrowIfCancellationRequested();
        var log = new ServerLog(options.Logger);
        EventLoopGroup loops = options.Loops
            ?? new EventLoopGroup(options.LoopOptions with { OnFault = log.Fault + options.LoopOptions.OnFault });
        var server = new BrokerServer(new ServerCore(options, loops), loops, options.Loops is null);
        try
        {
            if (startStreams is not null)
            {
                server._core.Streams = await startStreams(server, cancellationToken).ConfigureAwait(false);
                server._requests.Subscribe(renews: true);
            }

            if (server._resolver is { } resolver)
            {
                await resolver.StartAsync().ConfigureAwait(false);
            }

            server._accounts.Restart();
            server._listeners.Start();
            return server;
        }
        catch
        {
            await server.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// Creates a dialer that connects clients of this process to this server without a socket. Protocol, limits and
    /// permissions are the same as over TCP. Set the dialer in a client's options; the client also uses it to
    /// reconnect. A bridge in this process uses the dialer to reserve the bridge's internal subjects.
    /// </summary>
    /// <param name="user">
    /// The name of a user in <see cref="BrokerServerOptions.Users"/> or in an account. A client that sends no
    /// credentials in its CONNECT is this user; a client that sends credentials is the user of these credentials. Null,
    /// the default: a client without credentials is treated as over TCP.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The user does not exist. If the user is removed later, attempts to connect fail from then on.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The server has been disposed.</exception>
    /// <example><code>
    /// await using var client = await BrokerConnection.ConnectAsync(server.CreateDialer());
    /// </code></example>
    public IReservingDialer CreateDialer(string? user = null)
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        ThrowIfUnknown(user);
        return new InProcessDialer(this, user);
    }

    /// <summary>
    /// Connects a client in this process without a socket. Protocol, limits and permissions are the same as over TCP.
    /// </summary>
    /// <param name="loop">
    /// The client's loop. If it is one of <see cref="Loops"/>, client and server run on the same thread and wake no
    /// other thread.
    /// </param>
    /// <param name="handler">The handler of the client's end of the connection.</param>
    /// <returns>The client's end of the connection.</returns>
    public Connection ConnectInProcess(EventLoop loop, ConnectionHandler handler)
        => ConnectInProcess(loop, handler, null);

    internal Connection ConnectInProcess(
        EventLoop loop, ConnectionHandler handler, string? user, SubjectReservation? reservation = null)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        ThrowIfUnknown(user);
        EventLoop own = loop.Group == Loops ? loop : Loops.Next();
        var session = new ClientSession(_core, own, null, ClientTransport.InProcess, user, reservation: reservation);
        return InProcessLink.Create(loop, handler, own, session).First;
    }

    /// <summary>Refuses a dial to a server that shuts down, as the closed port refuses one over TCP.</summary>
    /// <exception cref="SocketException">The server is shutting down.</exception>
    internal void ThrowIfShuttingDown()
    {
        if (_core.IsShuttingDown)
        {
            throw new SocketException((int)SocketError.ConnectionRefused);
        }
    }

    private void ThrowIfUnknown(string? user)
    {
        if (user is not null && _core.Security.Find(user) is null)
        {
            throw new ArgumentException($"There is no user '{user}'.", nameof(user));
        }
    }

    /// <summary>The number of requests that wait for answers from other accounts.</summary>
    internal int ForwardedRequests => _core.Accounts.All.Sum(a => a.Requests.Count);

    /// <summary>The router of the global account, for clients that belong to no other account.</summary>
    internal Router GlobalRouter => _core.Accounts.Global.Router;

    /// <summary>
    /// The number of clients that were visited to publish events, without the clients that the events are about.
    /// </summary>
    internal long VisitsForEvents => _events.Visits;

    /// <summary>The number of times that a client's subscriptions were sorted to list them in pages.</summary>
    internal long SortedListings => _inspector.SortedListings;

    /// <summary>Publishes the statistics event now. The server also publishes it every 10 s.</summary>
    internal void PublishStatistics() => _events.PublishStatistics();

    /// <summary>
    /// The number of bytes that are queued for all clients. The getter visits every client, so read it about once a
    /// second at most, for example during a drain.
    /// </summary>
    public long PendingBytes => _core.Sessions.Sum(static s => s.PendingBytes);

    /// <summary>Reads the counters of the server.</summary>
    public ServerSnapshot Snapshot() => _core.Snapshot();

    /// <summary>Closes the listeners. Connected clients stay connected; no new client can connect.</summary>
    public void StopAccepting() => _listeners.Stop();

    /// <summary>
    /// Stops accepting connections and reading from clients, delivers the queued messages, and closes every connection.
    /// Messages that a client did not receive before the timeout are logged for this client and counted in the result.
    /// No other message that the server had read is lost.
    /// </summary>
    /// <param name="timeout">
    /// The time that clients have to receive the queued messages; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </param>
    /// <param name="cancellationToken">
    /// Ends the drain early: connections are closed at once, and the result counts the messages that were still queued.
    /// The method does not throw.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative.</exception>
    public async Task<DrainReport> DrainAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (timeout == Timeout.InfiniteTimeSpan)
        {
            timeout = TimeSpan.MaxValue;
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        StopAccepting();
        return await _shutdown.DrainAsync(timeout, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">
    /// The caller runs on the thread of one of the server's own loops.
    /// </exception>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        StopAccepting();
        Loops.ConnectionBudget.Exhausted -= OnBudgetExhausted;
        await _shutdown.PublishAsync().ConfigureAwait(false);
        if (_core.Streams is { } streams)
        {
            // The streams write what they have received, and need a running loop for that.
            await streams.DisposeAsync().ConfigureAwait(false);
        }

        _core.AccountCallouts.Dispose();
        _core.Targets.DisposeAll();
        _resolver?.Dispose();
        _accounts.Dispose();
        _core.Accounts.Dispose();
        _shutdown.CloseAll();
        if (_ownsLoops)
        {
            Loops.Dispose();
            return;
        }

        await _shutdown.WaitForConnectionsAsync().ConfigureAwait(false);
    }

    private void OnBudgetExhausted(object? sender, HandledEventArgs e)
    {
        if (!e.Handled)
        {
            e.Handled = true;
            _core.Log.OutOfFiles(Loops.ConnectionBudget.Limit);
        }
    }
}
