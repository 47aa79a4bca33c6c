using System.Net.Sockets;
using Broker.AspNetCore;
using Broker.Bridge;
using Broker.Client;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>
/// A running bridge. A reload changes its routes. Only <see cref="Snapshot"/> and <see cref="ChangeRouteAsync"/> may be
/// called at the same time as other methods.
/// </summary>
internal sealed class BridgeRun : IAsyncDisposable
{
    /// <summary>The minimum time at a stop for messages that are queued for ZeroMQ programs.</summary>
    public static readonly TimeSpan LeastLinger = TimeSpan.FromMilliseconds(100);

    private readonly ZeroMqBridge _bridge;

    // The running routes. After a failed reload, they differ from the requested routes.
    private readonly Dictionary<string, ConfiguredRoute> _running = new(StringComparer.Ordinal);

    private BridgeRun(ZeroMqBridge bridge, IEnumerable<ConfiguredRoute> routes)
    {
        _bridge = bridge;
        foreach (ConfiguredRoute route in routes)
        {
            _running.Add(route.Name, route);
        }
    }

    /// <summary>Starts a bridge with the routes of the settings.</summary>
    /// <exception cref="ServeStartException">The bridge cannot start with these settings.</exception>
    public static async Task<BridgeRun> StartAsync(
        ZeroMqSettings zeroMq, Func<ClientOptions, ClientOptions> connect, ILogger logger, CancellationToken cancellationToken)
    {
        var options = new ZeroMqBridgeOptions { Logger = logger };
        IReadOnlyList<ConfiguredRoute> routes = BridgeSetup.Routes(zeroMq);
        ClientOptions client = connect(options.Client);
        options = options with
        {
            Routes = [.. routes.Select(route => route.Options)],
            Client = zeroMq.Connection?.Over(client) ?? client,
        };
        try
        {
            return new BridgeRun(await ZeroMqBridge.StartAsync(options, cancellationToken), routes);
        }
        catch (ClientException e)
        {
            throw new ServeStartException($"the ZeroMQ bridge cannot connect to {zeroMq.Connection}: {e.Message}", e);
        }
        catch (Exception e) when (IsOfSettings(e))
        {
            throw Explain(e);
        }
    }

    /// <summary>Returns the sum of the counters of all routes.</summary>
    public static ServeCounts Count(IReadOnlyList<RouteSnapshot> routes) => new()
    {
        ZeroMqPeers = routes.Sum(route => route.Peers),
        ZeroMqMessagesIn = routes.Sum(route => route.ToSubjects),
        ZeroMqMessagesOut = routes.Sum(route => route.ToZeroMq),
        Dropped = routes.Sum(route => route.Dropped + route.Refused),
    };

    public BridgeSnapshot Snapshot() => _bridge.Snapshot();

    /// <summary>Returns the addresses with the endpoints of the bridge added.</summary>
    public ServeAddresses AddTo(ServeAddresses addresses)
    {
        IReadOnlyList<RouteSnapshot> routes = _bridge.Snapshot().Routes;
        PubSubRouteSnapshot[] pubSub = [.. routes.OfType<PubSubRouteSnapshot>()];
        return addresses with
        {
            ZeroMqPublishers = [.. pubSub.SelectMany(route => route.PublisherEndpoints).Select(Reachable)],
            ZeroMqSubscribers = [.. pubSub.SelectMany(route => route.SubscriberEndpoints).Select(Reachable)],
            ZeroMqRoutes =
            [
                .. routes.Where(route => route is not PubSubRouteSnapshot)
                    .Select(route => new RouteAddresses(route.Name, [.. route.Endpoints.Select(Reachable)])),
            ],
        };
    }

    /// <summary>
    /// Ends removed and changed routes, and starts new and changed routes. Unchanged routes continue without
    /// interruption. If a changed route cannot be started, it is started with its previous settings.
    /// </summary>
    /// <exception cref="ServeStartException">
    /// Some routes could not be started. All other routes were changed.
    /// </exception>
    public async Task ChangeAsync(ZeroMqSettings zeroMq, TimeSpan linger)
    {
        IReadOnlyList<ConfiguredRoute> wanted = BridgeSetup.Routes(zeroMq);
        var before = new Dictionary<string, ConfiguredRoute>(_running, StringComparer.Ordinal);
        foreach (ConfiguredRoute route in before.Values.Where(route => !wanted.Any(other => IsSame(route, other))))
        {
            await _bridge.RemoveRouteAsync(route.Name, linger);
            _running.Remove(route.Name);
        }

        List<string> problems = [];
        foreach (ConfiguredRoute route in wanted.Where(route => !_running.ContainsKey(route.Name)))
        {
            if (await StartAsync(route) is not { } problem)
            {
                continue;
            }

            problems.Add($"the route \"{route.Name}\" cannot be started: {problem.Message}");
            if (before.TryGetValue(route.Name, out ConfiguredRoute? old) && await StartAsync(old) is { } worse)
            {
                problems.Add($"the route \"{route.Name}\" cannot be restored: {worse.Message}");
            }
        }

        if (problems.Count > 0)
        {
            throw new ServeStartException(string.Join("; ", problems));
        }
    }

    /// <summary>Pauses or resumes a route, or switches a shadow, until the route is removed.</summary>
    /// <exception cref="InvalidOperationException">There is no such route, or it cannot be changed like
    /// this.</exception>
    public async Task ChangeRouteAsync(string route, RouteChange change)
    {
        bool exists = await (change switch
        {
            RouteChange.Pause => _bridge.PauseRouteAsync(route),
            RouteChange.Resume => _bridge.ResumeRouteAsync(route),
            _ => _bridge.SetShadowAsync(route, change == RouteChange.BeginShadow),
        });
        if (!exists)
        {
            throw new InvalidOperationException($"there is no route '{route}'");
        }
    }

    /// <inheritdoc cref="ZeroMqBridge.StopIngressAsync"/>
    public Task StopIngressAsync(CancellationToken cancellationToken) => _bridge.StopIngressAsync(cancellationToken);

    /// <inheritdoc cref="ZeroMqBridge.CloseAsync"/>
    public Task<long> CloseAsync(TimeSpan linger) => _bridge.CloseAsync(linger);

    public ValueTask DisposeAsync() => _bridge.DisposeAsync();

    private static bool IsSame(ConfiguredRoute route, ConfiguredRoute other)
        => route.Name == other.Name && route.Definition == other.Definition;

    private async Task<ServeStartException?> StartAsync(ConfiguredRoute route)
    {
        try
        {
            await _bridge.AddRouteAsync(route.Options);
            _running.Add(route.Name, route);
            return null;
        }
        catch (Exception e) when (IsOfSettings(e))
        {
            return Explain(e);
        }
    }

    private static bool IsOfSettings(Exception e) => e is ListenException or ArgumentException or FormatException;

    private static ServeStartException Explain(Exception e) => e is ListenException { InnerException: SocketException reason } listening
        ? ServeStartException.CannotListen(listening.Address, reason)
        : new ServeStartException($"a setting of the ZeroMQ bridge is invalid: {e.Message}", e);

    private static string Reachable(string zeroMqEndpoint)
        => zeroMqEndpoint.Replace("tcp://*:", "tcp://127.0.0.1:", StringComparison.Ordinal)
            .Replace("tcp://0.0.0.0:", "tcp://127.0.0.1:", StringComparison.Ordinal);
}
