using System.Net;
using Broker.Client;
using Broker.Server;
using Broker.Transport;

namespace Broker.Bridge.Tests.Pipelines.Support;

/// <summary>A NATS system, ours or Debian's nats-server, with bridges of one pipeline.</summary>
internal sealed class Pipeline : BridgeSite
{
    internal const string Subject = "work.orders";

    private readonly bool _isApart;

    private Pipeline(EventLoopGroup? loops, BrokerServer? server, NatsServer? remote, bool apart)
        : base(loops, server, remote) => _isApart = apart;

    /// <summary>Whether bridges made from now on make spans.</summary>
    internal bool Tracing { get; set; }

    /// <summary>Whether bridges made from now on reserve the internal subjects in a server of this process.</summary>
    internal bool Reserves { get; set; } = true;

    /// <summary>A pipeline without a server of its own: each bridge is given the addresses of its servers.</summary>
    internal static Pipeline WithoutServer() => new(null, null, null, apart: false);

    /// <param name="remote">A nats-server, which is the pipeline's from then on.</param>
    internal static Pipeline At(NatsServer remote) => new(null, null, remote, apart: false);

    /// <param name="foreign">Whether it is Debian's nats-server.</param>
    /// <param name="arguments">More arguments for that.</param>
    internal static Task<Pipeline> StartAsync(bool foreign, params string[] arguments) => StartAsync(foreign, apart: false, arguments);

    /// <param name="foreign">Whether it is Debian's nats-server.</param>
    /// <param name="apart">Whether ours is reached by TCP, on loops of its own, so that it can be restarted.</param>
    /// <param name="arguments">More arguments for nats-server.</param>
    internal static async Task<Pipeline> StartAsync(bool foreign, bool apart, params string[] arguments)
    {
        if (foreign)
        {
            // At a port that nobody else is given while it is away.
            return new Pipeline(null, null, NatsServer.StartAt(FreePort.Next(), arguments), apart);
        }

        (EventLoopGroup loops, BrokerServer server) = await EmbedAsync(1, apart ? FreePort.Next() : 0);
        return new Pipeline(loops, server, null, apart);
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
        Server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = Loops }.Listen(port));
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
        ClientOptions client = url is null && !_isApart ? BridgeClient() : RemoteClient(url ?? Url);
        return Keep(await StartBridgeAsync(
            client with { Tracing = Tracing }, [route is PushPullRouteOptions pipeline ? pipeline with { ReserveSubjects = Reserves } : route]));
    }

    /// <summary>A bridge ends; what its PUSH has not sent by the end of the linger is lost.</summary>
    internal async Task EndAsync(ZeroMqBridge bridge, TimeSpan linger = default)
    {
        Forget(bridge);
        await bridge.CloseAsync(linger);
    }

    internal Task<BrokerConnection> ClientAsync() => ConnectAsync(new ClientOptions { Servers = [Url] });

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
