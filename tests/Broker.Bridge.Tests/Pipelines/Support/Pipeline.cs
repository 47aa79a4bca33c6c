using System.Net;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.Server;
using Broker.Transport;

namespace Broker.Bridge.Tests.Pipelines.Support;

/// <summary>A NATS system, ours or Debian's nats-server, with bridges of one pipeline.</summary>
internal sealed class Pipeline : IAsyncDisposable
{
    internal const string Subject = "work.orders";

    private readonly List<ZeroMqBridge> _bridges = [];
    private readonly List<BrokerConnection> _clients = [];
    private EventLoopGroup? _loops;
    private bool _isApart;

    /// <summary>Whether bridges made from now on make spans.</summary>
    internal bool Tracing { get; set; }

    /// <summary>Whether bridges made from now on reserve the internal subjects in a server of this process.</summary>
    internal bool Reserves { get; set; } = true;

    internal LogLines Log { get; } = new();

    internal BrokerServer? Server { get; private set; }

    internal NatsServer? Remote { get; private set; }

    internal string Url => Remote?.Url ?? $"nats://127.0.0.1:{((IPEndPoint)Server!.EndPoints[0]).Port}";

    /// <param name="remote">A nats-server, which is the pipeline's from then on.</param>
    internal static Pipeline At(NatsServer remote) => new() { Remote = remote };

    /// <param name="foreign">Whether it is Debian's nats-server.</param>
    /// <param name="arguments">More arguments for that.</param>
    internal static Task<Pipeline> StartAsync(bool foreign, params string[] arguments) => StartAsync(foreign, apart: false, arguments);

    /// <param name="foreign">Whether it is Debian's nats-server.</param>
    /// <param name="apart">Whether ours is reached by TCP, on loops of its own, so that it can be restarted.</param>
    /// <param name="arguments">More arguments for nats-server.</param>
    internal static async Task<Pipeline> StartAsync(bool foreign, bool apart, params string[] arguments)
    {
        var pipeline = new Pipeline { _isApart = apart };
        if (foreign)
        {
            // At a port that nobody else is given while it is away.
            pipeline.Remote = NatsServer.StartAt(FreePort.Next(), arguments);
        }
        else
        {
            pipeline._loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
            pipeline.Server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = pipeline._loops }.Listen(apart ? FreePort.Next() : 0));
        }

        return pipeline;
    }

    /// <summary>Ends the server without a goodbye and starts it again at the same port.</summary>
    internal async Task RestartServerAsync()
    {
        if (Remote is not null)
        {
            Remote.Restart();
            return;
        }

        int port = ((IPEndPoint)Server!.EndPoints[0]).Port;
        await Server.DisposeAsync();
        Server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = _loops }.Listen(port));
    }

    /// <summary>A bridge with both ends, unless told otherwise.</summary>
    internal Task<ZeroMqBridge> BridgeAsync(Func<PushPullRouteOptions, PushPullRouteOptions>? change = null, string? url = null)
    {
        PushPullRouteOptions route = Options();
        return BridgeAsync(url, change?.Invoke(route) ?? route);
    }

    /// <summary>A bridge with another route.</summary>
    /// <param name="url">Its servers; null for the pipeline's.</param>
    /// <param name="route">All it has.</param>
    internal async Task<ZeroMqBridge> BridgeAsync(string? url, RouteOptions route)
    {
        ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions
            {
                Client = new ClientOptions
                {
                    Servers = (url ?? Url).Split(','),
                    Loops = url is null && !_isApart ? _loops : null,
                    WhileDisconnected = PublishWhileDisconnected.Drop,
                    ReconnectWait = TimeSpan.FromMilliseconds(20),
                    ReconnectJitter = TimeSpan.FromMilliseconds(1),
                    Dialer = url is null && !_isApart ? Server?.CreateDialer() : null,
                    Tracing = Tracing,
                },
                Logger = Log,
                Routes = [route is PushPullRouteOptions pipeline ? pipeline with { ReserveSubjects = Reserves } : route],
            },
            TestContext.Current.CancellationToken);
        _bridges.Add(bridge);
        return bridge;
    }

    /// <summary>A bridge ends; what its PUSH has not sent by the end of the linger is lost.</summary>
    internal async Task EndAsync(ZeroMqBridge bridge, TimeSpan linger = default)
    {
        _bridges.Remove(bridge);
        await bridge.CloseAsync(linger);
    }

    internal async Task<BrokerConnection> ClientAsync()
    {
        BrokerConnection client = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [Url] }, TestContext.Current.CancellationToken);
        _clients.Add(client);
        return client;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (BrokerConnection client in _clients)
        {
            await client.DisposeAsync();
        }

        foreach (ZeroMqBridge bridge in _bridges)
        {
            await bridge.DisposeAsync();
        }

        if (Server is not null)
        {
            await Server.DisposeAsync();
        }

        _loops?.Dispose();
        Remote?.Dispose();
    }

    // Nobody who lives counts as gone here, however long a machine with much else to do keeps it waiting.
    private static PushPullRouteOptions Options() => new()
    {
        Subject = Subject,
        Pushers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
        Pullers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
        PeerTimeout = TimeSpan.FromMinutes(5),
        StopTimeout = TimeSpan.Zero,
        Window = 256,
        HighWaterMark = 100,
    };
}
