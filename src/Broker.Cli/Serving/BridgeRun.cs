using System.Net.Sockets;
using Broker.Bridge;
using Broker.Client;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>A bridge with the routes that were asked for last. One caller at a time, but for the counters.</summary>
internal sealed class BridgeRun : IAsyncDisposable
{
    /// <summary>What is queued for ZeroMQ programs has this much time in any case.</summary>
    public static readonly TimeSpan LeastLinger = TimeSpan.FromMilliseconds(100);

    private readonly ZeroMqBridge _bridge;

    // As they run, which after a failed reload is not as they were asked for.
    private readonly Dictionary<string, RouteSettings> _running = new(StringComparer.Ordinal);

    private BridgeRun(ZeroMqBridge bridge, IEnumerable<RouteSettings> routes)
    {
        _bridge = bridge;
        foreach (RouteSettings route in routes)
        {
            _running.Add(route.Name, route);
        }
    }

    /// <summary>Starts it.</summary>
    /// <exception cref="ServeStartException">It cannot be had so.</exception>
    public static async Task<BridgeRun> StartAsync(
        ZeroMqSettings zeroMq, Func<ClientOptions, ClientOptions> connect, ILogger logger, CancellationToken cancellationToken)
    {
        var options = new ZeroMqBridgeOptions { Logger = logger };
        IReadOnlyList<RouteSettings> routes = BridgeSetup.Routes(zeroMq);
        ClientOptions client = connect(options.Client);
        options = options with { Routes = [.. routes.Select(route => route.Options)], Client = zeroMq.Connection?.Over(client) ?? client };
        try
        {
            return new BridgeRun(await ZeroMqBridge.StartAsync(options, cancellationToken), routes);
        }
        catch (ClientException e)
        {
            throw new ServeStartException($"the ZeroMQ bridge cannot reach {zeroMq.Connection}: {e.Message}", e);
        }
        catch (Exception e) when (IsOfSettings(e))
        {
            throw Explain(e);
        }
    }

    /// <summary>What all routes together have done.</summary>
    public static ServeCounts Count(IReadOnlyList<RouteSnapshot> routes) => new()
    {
        ZeroMqPeers = routes.Sum(route => route.Peers),
        ZeroMqMessagesIn = routes.Sum(route => route.ToSubjects),
        ZeroMqMessagesOut = routes.Sum(route => route.ToZeroMq),
        Dropped = routes.Sum(route => route.Dropped + route.Refused),
    };

    public BridgeSnapshot Snapshot() => _bridge.Snapshot();

    /// <summary>Where ZeroMQ programs find it.</summary>
    public ServeAddresses AddTo(ServeAddresses addresses)
    {
        IReadOnlyList<RouteSnapshot> routes = _bridge.Snapshot().Routes;
        PubSubRouteSnapshot[] pubSub = [.. routes.OfType<PubSubRouteSnapshot>()];
        return addresses with
        {
            ZeroMqPublishers = [.. pubSub.SelectMany(route => route.PublisherEndpoints).Select(Reachable)],
            ZeroMqSubscribers = [.. pubSub.SelectMany(route => route.SubscriberEndpoints).Select(Reachable)],
            ZeroMqRoutes =
                [.. routes.Where(route => route is not PubSubRouteSnapshot).Select(route => new RouteAddresses(route.Name, [.. route.Endpoints.Select(Reachable)]))],
        };
    }

    /// <summary>
    /// Ends the routes that are not wanted any more or wanted otherwise, and starts those that are. The others go on. A route that cannot be
    /// started as it is wanted now goes on as it was.
    /// </summary>
    /// <exception cref="ServeStartException">Some could not; all others are as they are wanted.</exception>
    public async Task ChangeAsync(ZeroMqSettings zeroMq, TimeSpan linger)
    {
        IReadOnlyList<RouteSettings> wanted = BridgeSetup.Routes(zeroMq);
        var before = new Dictionary<string, RouteSettings>(_running, StringComparer.Ordinal);
        foreach (RouteSettings route in before.Values.Where(route => !wanted.Any(other => IsSame(route, other))))
        {
            await _bridge.RemoveRouteAsync(route.Name, linger);
            _running.Remove(route.Name);
        }

        List<string> problems = [];
        foreach (RouteSettings route in wanted.Where(route => !_running.ContainsKey(route.Name)))
        {
            if (await StartAsync(route) is not { } problem)
            {
                continue;
            }

            problems.Add($"the route \"{route.Name}\": {problem.Message}");
            if (before.TryGetValue(route.Name, out RouteSettings? old) && await StartAsync(old) is { } worse)
            {
                problems.Add($"the route \"{route.Name}\" as it was: {worse.Message}");
            }
        }

        if (problems.Count > 0)
        {
            throw new ServeStartException(string.Join("; ", problems));
        }
    }

    /// <inheritdoc cref="ZeroMqBridge.StopIngressAsync"/>
    public Task StopIngressAsync(CancellationToken cancellationToken) => _bridge.StopIngressAsync(cancellationToken);

    /// <inheritdoc cref="ZeroMqBridge.CloseAsync"/>
    public Task<long> CloseAsync(TimeSpan linger) => _bridge.CloseAsync(linger);

    public ValueTask DisposeAsync() => _bridge.DisposeAsync();

    private static bool IsSame(RouteSettings route, RouteSettings other) => route.Name == other.Name && route.Definition == other.Definition;

    private async Task<ServeStartException?> StartAsync(RouteSettings route)
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
        : new ServeStartException($"a setting of the ZeroMQ bridge is wrong: {e.Message}", e);

    private static string Reachable(string zeroMqEndpoint)
        => zeroMqEndpoint.Replace("tcp://*:", "tcp://127.0.0.1:", StringComparison.Ordinal)
            .Replace("tcp://0.0.0.0:", "tcp://127.0.0.1:", StringComparison.Ordinal);
}
