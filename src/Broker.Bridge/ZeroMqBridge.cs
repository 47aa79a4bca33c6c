using System.ComponentModel;
using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// Connects ZeroMQ programs with the subjects of a NATS system, through a client connection and any number of routes.
/// The ZeroMQ programs need no change.
/// </summary>
/// <remarks>
/// <para>The options of a route, such as <see cref="PubSubRouteOptions"/>, describe what the route
/// guarantees.</para>
/// <para>The bridge handles messages on the event loops of <see cref="ClientOptions.Loops"/>, most of them on the
/// connection's loop.</para>
/// <para>This class is thread-safe.</para>
/// </remarks>
/// <example><code>
/// await using var bridge = await ZeroMqBridge.StartAsync(new ZeroMqBridgeOptions
/// {
///     Client = new ClientOptions { Servers = ["nats://127.0.0.1:4222"] },
///     Routes = [new PubSubRouteOptions(), new PushPullRouteOptions { Subject = "jobs" }],
/// });
/// </code></example>
public sealed partial class ZeroMqBridge : IAsyncDisposable
{
    private readonly ZeroMqBridgeOptions _options;
    private readonly BridgeLog _log;
    private readonly bool _ownsLoops;

    // Only one caller changes the routes at a time. Any thread may read them.
    private readonly SemaphoreSlim _changing = new(1);
    private volatile BridgeRoute[] _routes = [];
    private bool _closed;

    private ZeroMqBridge(ZeroMqBridgeOptions options)
    {
        _options = options;
        _log = new BridgeLog(options.Logger);
        _connection = NewConnection();
        _ownsLoops = options.Client.Loops is null;
        Loops = options.Client.Loops ?? new EventLoopGroup(
            new EventLoopOptions { ThreadName = "bridge loop", OnFault = _log.Fault });
        Context = new ZeroMqContext(Loops);
        Loops.ConnectionBudget.Exhausted += OnBudgetExhausted;
    }

    /// <summary>The event loops that the bridge runs on.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>
    /// The context of the bridge. Sockets of this program that are created with it reach the <c>inproc://</c> endpoints
    /// of the routes, without a system socket. The bridge closes sockets that are still open when it is closed, after
    /// its routes, and waits for their linger times.
    /// </summary>
    public ZeroMqContext Context { get; }

    /// <summary>
    /// Whether a NATS server is connected. May be read on any thread; the value may be out of date at once.
    /// </summary>
    public bool IsConnected => Client.State == ConnectionState.Connected;

    /// <summary>
    /// Connects to the NATS server and starts the routes. If no server is reachable, the bridge keeps trying in the
    /// background. All endpoints are bound when the task completes.
    /// </summary>
    /// <exception cref="ClientException">
    /// No NATS server is reachable, and <see cref="ZeroMqBridgeOptions.RequireServer"/> is set.
    /// </exception>
    /// <exception cref="ZeroMqBindException">An endpoint cannot be bound.</exception>
    /// <exception cref="FormatException">The text of an endpoint is not valid.</exception>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public static async Task<ZeroMqBridge> StartAsync(
        ZeroMqBridgeOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        var bridge = new ZeroMqBridge(options);
        try
        {
            await bridge.ConnectAsync(cancellationToken).ConfigureAwait(false);
            foreach (RouteOptions route in options.Routes)
            {
                await bridge.AddRouteAsync(route, cancellationToken).ConfigureAwait(false);
            }

            return bridge;
        }
        catch
        {
            await bridge.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// Starts one more route while the other routes continue. Its endpoints are bound when the task completes.
    /// </summary>
    /// <exception cref="ZeroMqBindException">
    /// An endpoint cannot be bound. The route is then removed completely.
    /// </exception>
    /// <exception cref="FormatException">The text of an endpoint is not valid.</exception>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, or the bridge already has a route with this name.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The bridge is closed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled before the route was started.</exception>
    public async Task AddRouteAsync(RouteOptions route, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(route);
        route.Validate();
        await _changing.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            if (Find(route.Name) is not null)
            {
                throw new ArgumentException(
                    $"The bridge already has a route with the name '{route.Name}'.", nameof(route));
            }

            RouteContext context = await ReserveAsync(route, cancellationToken).ConfigureAwait(false);
            await StartAsync(route.Create(context)).ConfigureAwait(false);
        }
        finally
        {
            ReserveSubjects([]);
            _changing.Release();
        }
    }

    /// <summary>
    /// Stops and removes a route while the other routes continue. The route sends messages that are queued for its
    /// ZeroMQ programs until the linger time has passed.
    /// </summary>
    /// <returns>How many messages ZeroMQ programs did not take; null if there is no route with this name.</returns>
    public async Task<long?> RemoveRouteAsync(string name, TimeSpan linger = default)
    {
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            if (Find(name) is not { } route)
            {
                return null;
            }

            // Messages that the route has taken from ZeroMQ programs are published before the route is removed, so that
            // it still counts them.
            await route.Loop.WaitWhileRunningAsync(route.StopIngressAsync).ConfigureAwait(false);
            return await EndAsync(route, linger).ConfigureAwait(false);
        }
        finally
        {
            ReserveSubjects([]);
            _changing.Release();
        }
    }

    /// <summary>
    /// Pauses a route until <see cref="ResumeRouteAsync"/>, or until the route is removed. It takes no new messages
    /// from ZeroMQ programs, no requests for its workers, and no messages of a pipeline for its PULL programs. Messages
    /// that it has taken before go on.
    /// </summary>
    /// <remarks>
    /// <para>No message is lost by a pause. ZeroMQ programs wait, because the route does not read from them: a PUSH,
    /// REQ or DEALER blocks at its high-water mark, and a PUB drops there, as with any slow peer. Requests go to other
    /// members of the queue group, or the requester learns that nobody responds. Messages of a pipeline go to other
    /// egresses, or wait at their ingress.</para>
    /// <para>Nobody keeps the messages that a PUB/SUB route or a raw route receives from subjects. Such a route still
    /// passes them on to its ZeroMQ programs. A shadow route receives no copies while it is paused.</para>
    /// </remarks>
    /// <returns>Whether there is a route with this name.</returns>
    public Task<bool> PauseRouteAsync(string name) => ChangeAsync(name, static route => route.SetPausedAsync(true));

    /// <summary>Ends the pause of a route. Does nothing if the route is not paused.</summary>
    /// <returns>Whether there is a route with this name.</returns>
    public Task<bool> ResumeRouteAsync(string name) => ChangeAsync(name, static route => route.SetPausedAsync(false));

    /// <summary>
    /// Lets the ZeroMQ programs of a route receive only copies, as with <see cref="PushPullRouteOptions.Shadow"/> and
    /// <see cref="WorkerRouteOptions.Shadow"/>, or lets them take part. The programs stay connected. Messages that the
    /// route has taken before the change are handled as before it; around the change, a program may receive a message
    /// and its copy.
    /// </summary>
    /// <returns>Whether there is a route with this name.</returns>
    /// <exception cref="InvalidOperationException">
    /// The route cannot be a shadow: <see cref="RouteSnapshot.IsShadow"/> is null.
    /// </exception>
    public Task<bool> SetShadowAsync(string name, bool shadow) => ChangeAsync(name, route => route.IsShadow is null
        ? throw new InvalidOperationException(
            $"The route '{name}' cannot be a shadow: only a worker route, and a PUSH/PULL route without PUSH programs and without a stream, can.")
        : route.SetShadowAsync(shadow));

    /// <summary>Returns the current counters of the bridge and its routes.</summary>
    public BridgeSnapshot Snapshot()
        => new(Client.Server, Statistics(), Array.ConvertAll(_routes, Describe))
        {
            RefusedConnections = Loops.ConnectionBudget.Refused,
        };

    /// <summary>
    /// Stops receiving from ZeroMQ and waits until the server has received all messages that the bridge has taken
    /// before. Messages from subjects still go to the ZeroMQ programs.
    /// </summary>
    /// <exception cref="OperationCanceledException">
    /// The token was cancelled; some messages may still be on their way to the server.
    /// </exception>
    public async Task StopIngressAsync(CancellationToken cancellationToken = default)
    {
        BeginStop();
        await Client.Loop.WaitWhileRunningAsync(() => Task.WhenAll(_routes.Select(route => route.DeliverBeforeStopAsync())))
            .WaitAsync(cancellationToken).ConfigureAwait(false);
        await Client.Loop.WaitWhileRunningAsync(() => Task.WhenAll(_routes.Select(route => route.StopIngressAsync()))).WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Closes the bridge. It sends messages that are queued for ZeroMQ programs until the linger time has passed.
    /// </summary>
    /// <returns>How many queued messages ZeroMQ programs did not take, counted once for each program.</returns>
    public async Task<long> CloseAsync(TimeSpan linger)
    {
        BeginStop();
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_closed)
            {
                return 0;
            }

            _closed = true;
            Loops.ConnectionBudget.Exhausted -= OnBudgetExhausted;
            long[] undelivered =
                await Task.WhenAll(_routes.Select(route => CloseRouteAsync(route, linger))).ConfigureAwait(false);
            await Loops[0].WaitWhileRunningAsync(() => Context.DisposeAsync().AsTask()).ConfigureAwait(false);
            await CloseConnectionsAsync().ConfigureAwait(false);
            _context?.Tracer?.Dispose();
            if (_ownsLoops)
            {
                Loops.Dispose();
            }

            return undelivered.Sum();
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>Closes the bridge like <see cref="CloseAsync"/>, with a linger time of zero.</summary>
    public async ValueTask DisposeAsync() => await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);

    /// <summary>Returns the started route with this name, or null.</summary>
    internal BridgeRoute? Find(string name)
        => Array.Find(_routes, route => string.Equals(route.Name, name, StringComparison.Ordinal));

    private static RouteSnapshot Describe(BridgeRoute route) => route.Snapshot() with
    {
        Security = route.Security.ToString(),
        Subjects = route.Subjects,
        IsPaused = route.IsPaused,
        IsShadow = route.IsShadow,
    };

    private async Task<bool> ChangeAsync(string name, Func<BridgeRoute, Task> change)
    {
        ArgumentNullException.ThrowIfNull(name);
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            if (Find(name) is not { } route)
            {
                return false;
            }

            await route.Loop.WaitWhileRunningAsync(() => change(route)).ConfigureAwait(false);
            return true;
        }
        finally
        {
            _changing.Release();
        }
    }

    // Runs on the thread of the listener that has reached the limit.
    private void OnBudgetExhausted(object? sender, HandledEventArgs e)
    {
        if (!e.Handled)
        {
            e.Handled = true;
            _log.OutOfFiles(Loops.ConnectionBudget.Limit);
        }
    }

    private async Task StartAsync(BridgeRoute route)
    {
        try
        {
            // From this iteration of the loop on, the route is notified about the server.
            if (!await route.Loop.RunAsync(() => Begin(route)).ConfigureAwait(false))
            {
                throw new ObjectDisposedException(nameof(ZeroMqBridge), "The event loops of the bridge have ended.");
            }

            route.Open();
        }
        catch
        {
            await EndAsync(route, TimeSpan.Zero).ConfigureAwait(false);
            throw;
        }
    }

    private void Begin(BridgeRoute route)
    {
        _routes = [.. _routes, route];
        route.Start();
        if (route.Client.State == ConnectionState.Connected)
        {
            route.OnServerConnected();
        }
    }

    private async Task<long> EndAsync(BridgeRoute route, TimeSpan linger)
    {
        long undelivered = await CloseRouteAsync(route, linger).ConfigureAwait(false);
        if (!await route.Loop.RunAsync(Remove).ConfigureAwait(false))
        {
            Remove();
        }

        return undelivered;

        void Remove() => _routes = Array.FindAll(_routes, other => other != route);
    }

    // If the owner of the loops has ended the loops, no messages are left to send.
    private static Task<long> CloseRouteAsync(BridgeRoute route, TimeSpan linger)
        => route.Loop.WaitWhileRunningAsync(() => route.CloseAsync(linger));
}
