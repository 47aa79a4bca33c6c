using System.ComponentModel;
using Broker.Bridge.Routes;
using Broker.Client;
using Broker.Client.Errors;
using Broker.Transport;
using Broker.ZeroMq.Endpoints;

namespace Broker.Bridge;

/// <summary>
/// Joins ZeroMQ programs to the subjects of a NATS system, by one client connection and any number of routes. The ZeroMQ programs need no
/// change.
/// </summary>
/// <remarks>
/// <para>What a route promises stands at its options, such as <see cref="PubSub.PubSubRouteOptions"/>.</para>
/// <para>Messages are handled on the event loops of <see cref="ClientOptions.Loops"/>, most of them on that of the connection. Thread-safe.</para>
/// </remarks>
public sealed partial class ZeroMqBridge : IAsyncDisposable
{
    private readonly ZeroMqBridgeOptions _options;
    private readonly BridgeLog _log;
    private readonly bool _ownsLoops;

    // One change of the routes at a time. They are read on any thread.
    private readonly SemaphoreSlim _changing = new(1);
    private volatile BridgeRoute[] _routes = [];
    private BrokerConnection _client = null!;
    private RouteContext _context = null!;
    private volatile bool _stopping;
    private bool _closed;

    private ZeroMqBridge(ZeroMqBridgeOptions options)
    {
        _options = options;
        _log = new BridgeLog(options.Logger);
        _ownsLoops = options.Client.Loops is null;
        Loops = options.Client.Loops ?? new EventLoopGroup(new EventLoopOptions { ThreadName = "bridge loop", OnFault = _log.Fault });
        Loops.ConnectionBudget.Exhausted += OnBudgetExhausted;
    }

    /// <summary>The loops it runs on.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>
    /// Connects to the NATS side, or goes on trying while the bridge runs, then starts the routes. When the task is done, all
    /// endpoints are bound.
    /// </summary>
    /// <exception cref="ClientException">
    /// No NATS server can be had, and <see cref="ZeroMqBridgeOptions.RequireServer"/> is set.
    /// </exception>
    /// <exception cref="ZeroMqBindException">An endpoint cannot be had.</exception>
    /// <exception cref="FormatException">An endpoint is none.</exception>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public static async Task<ZeroMqBridge> StartAsync(ZeroMqBridgeOptions options, CancellationToken cancellationToken = default)
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

    /// <summary>Starts one more route. When the task is done, its endpoints are bound. The others go on meanwhile.</summary>
    /// <exception cref="ZeroMqBindException">An endpoint cannot be had; nothing is left of the route then.</exception>
    /// <exception cref="FormatException">An endpoint is none.</exception>
    /// <exception cref="ArgumentException">An option is out of its range, or there is a route of that name.</exception>
    /// <exception cref="ObjectDisposedException">The bridge is closed.</exception>
    /// <exception cref="OperationCanceledException">Cancelled before it began.</exception>
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
                throw new ArgumentException($"There is a route of the name '{route.Name}' already.", nameof(route));
            }

            await StartAsync(route.Create(_context)).ConfigureAwait(false);
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>Ends a route; what is queued for its ZeroMQ programs is sent for up to the linger. The others go on meanwhile.</summary>
    /// <returns>How many messages ZeroMQ programs did not take; null when there is no route of that name.</returns>
    public async Task<long?> RemoveRouteAsync(string name, TimeSpan linger = default)
    {
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            if (Find(name) is not { } route)
            {
                return null;
            }

            // What was taken from its programs is published before nobody counts it any more.
            await _client.Loop.OutliveAsync(route.StopIngressAsync).ConfigureAwait(false);
            return await EndAsync(route, linger).ConfigureAwait(false);
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>Its counters now.</summary>
    public BridgeSnapshot Snapshot()
        => new(_client.Server, _client.GetStatistics(), Array.ConvertAll(_routes, route => route.Snapshot() with { Security = route.Security.ToString() }))
        {
            RefusedConnections = Loops.ConnectionBudget.Refused,
        };

    /// <summary>
    /// Stops taking messages from ZeroMQ and waits until the server has everything that was taken before. What comes from subjects is still
    /// passed on.
    /// </summary>
    /// <exception cref="OperationCanceledException">Cancelled; messages may be on their way still.</exception>
    public async Task StopIngressAsync(CancellationToken cancellationToken = default)
    {
        _stopping = true;
        await _client.Loop.OutliveAsync(() => Task.WhenAll(_routes.Select(route => route.StopIngressAsync()))).WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Ends the bridge: what is queued for ZeroMQ programs is sent for up to the linger.</summary>
    /// <returns>How many messages ZeroMQ programs did not take, counted for each.</returns>
    public async Task<long> CloseAsync(TimeSpan linger)
    {
        _stopping = true;
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_closed)
            {
                return 0;
            }

            _closed = true;
            Loops.ConnectionBudget.Exhausted -= OnBudgetExhausted;
            long[] undelivered = await Task.WhenAll(_routes.Select(route => CloseRouteAsync(route, linger))).ConfigureAwait(false);
            if (_client is not null)
            {
                await _client.Loop.OutliveAsync(_client.CloseAsync).ConfigureAwait(false);
            }

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

    /// <summary>As <see cref="CloseAsync"/> without a linger.</summary>
    public async ValueTask DisposeAsync() => await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);

    /// <summary>A route that has begun; null when there is none of that name.</summary>
    internal BridgeRoute? Find(string name) => Array.Find(_routes, route => string.Equals(route.Name, name, StringComparison.Ordinal));

    // On the thread of any listener of the loops.
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
            // From the loop on it is told of the server.
            if (!await _client.Loop.DoAsync(() => Begin(route)).ConfigureAwait(false))
            {
                throw new ObjectDisposedException(nameof(ZeroMqBridge), "The loops of the bridge have ended.");
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
        if (_client.State == ConnectionState.Connected)
        {
            route.OnServerBack();
        }
    }

    private async Task<long> EndAsync(BridgeRoute route, TimeSpan linger)
    {
        long undelivered = await CloseRouteAsync(route, linger).ConfigureAwait(false);
        if (!await _client.Loop.DoAsync(Remove).ConfigureAwait(false))
        {
            Remove();
        }

        return undelivered;

        void Remove() => _routes = Array.FindAll(_routes, other => other != route);
    }

    // Nothing is left to be sent where the loops have been ended by their owner.
    private Task<long> CloseRouteAsync(BridgeRoute route, TimeSpan linger) => _client.Loop.OutliveAsync(() => route.CloseAsync(linger));
}
