using System.Net;
using System.Text.Json.Nodes;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.Server;
using Broker.Testing;
using Broker.Transport;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract.Support;

/// <summary>
/// A NATS server, ours or Debian's, reached over TCP, with bridges and unmodified ZeroMQ programs, each in a process of its own and of one
/// version of ZMTP.
/// </summary>
internal sealed class ContractSite : IAsyncDisposable
{
    // Nobody who lives counts as gone, however long a machine with much else to do keeps it waiting.
    private static readonly TimeSpan Patience = TimeSpan.FromHours(1);

    private readonly ForeignKind _kind;
    private readonly byte _minor;
    private readonly EventLoopGroup? _loops;
    private readonly NatsServer? _remote;
    private readonly Dictionary<ForeignSocket, ForeignHost> _programs = [];
    private readonly List<IAsyncDisposable> _links = [];
    private readonly List<ZeroMqBridge> _bridges = [];
    private readonly List<BrokerConnection> _clients = [];
    private BrokerServer? _server;
    private readonly int _port;
    private int _marks;

    private ContractSite(ForeignKind kind, byte minor, bool foreign)
    {
        ForeignHost.Require(kind);
        (_kind, _minor) = (kind, minor);
        // A port that nobody else is given while the server is away.
        _port = FreePort.Next();
        _remote = foreign ? NatsServer.StartAt(_port) : null;
        _loops = foreign ? null : new EventLoopGroup(new EventLoopOptions { Loops = 1 });
    }

    public static BridgeEndpoint AnyPort => new(true, "tcp://127.0.0.1:0");

    public static PubSubRouteOptions PubSub => new() { Publishers = [AnyPort], Subscribers = [AnyPort] };

    public static PushPullRouteOptions PushPull => new()
    {
        Subject = "work.orders", Pushers = [AnyPort], Pullers = [AnyPort], PeerTimeout = TimeSpan.FromMinutes(5), StopTimeout = TimeSpan.Zero,
    };

    public static RequestRouteOptions Requests => new() { Subject = "svc.echo", Endpoints = [AnyPort], TimeToLive = Patience };

    public static WorkerRouteOptions Workers => new() { Subject = "svc.echo", Endpoints = [AnyPort], TimeToLive = Patience };

    /// <summary>A ROUTER route and a DEALER route that are a proxy across subjects.</summary>
    public static RawRouteOptions Router => Raw("router", RawSocket.Router, "raw.there", "raw.back");

    public static RawRouteOptions Dealer => Raw("dealer", RawSocket.Dealer, "raw.back", "raw.there") with { CarryIdentities = true };

    /// <summary>Two PAIR routes, each of which gets what the other sends.</summary>
    public static RawRouteOptions Left => Raw("left", RawSocket.Pair, "pair.right", "pair.left");

    public static RawRouteOptions Right => Raw("right", RawSocket.Pair, "pair.left", "pair.right");

    /// <summary>The first bridge.</summary>
    public ZeroMqBridge Bridge => _bridges[0];

    public LogLines Log { get; } = new();

    /// <summary>How many greetings were made older on their way.</summary>
    public int OlderGreetings => _links.OfType<VersionLink>().Sum(link => link.Greetings);

    public IPEndPoint Server => new(IPAddress.Loopback, _port);

    public static async Task<ContractSite> StartAsync(ForeignKind kind, byte minor, bool foreign, params RouteOptions[] routes)
    {
        var site = new ContractSite(kind, minor, foreign);
        if (!foreign)
        {
            await site.StartServerAsync();
        }

        if (routes.Length > 0)
        {
            await site.BridgeAsync(routes);
        }

        return site;
    }

    /// <summary>Ends the server without a goodbye, and waits until the bridges know.</summary>
    public async Task LoseServerAsync()
    {
        _remote?.Kill();
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        await Wait.UntilAsync(() => _bridges.TrueForAll(bridge => bridge.Snapshot().Server is null), "the loss of the server");
    }

    /// <summary>Starts it, at the port that it had.</summary>
    public async Task StartServerAsync()
    {
        if (_remote is not null)
        {
            _remote.Restart();
            return;
        }

        _server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = _loops }.Listen(_port));
    }

    /// <summary>A bridge that reaches the server as from elsewhere.</summary>
    public Task<ZeroMqBridge> BridgeAsync(params RouteOptions[] routes) => BridgeAsync(Server, routes);

    /// <param name="server">Where it finds the server, such as a link that leads there.</param>
    /// <param name="routes">All of them.</param>
    public async Task<ZeroMqBridge> BridgeAsync(IPEndPoint server, params RouteOptions[] routes)
    {
        ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions
            {
                Client = new ClientOptions
                {
                    Servers = [$"nats://{server}"],
                    WhileDisconnected = PublishWhileDisconnected.Drop,
                    ReconnectWait = TimeSpan.FromMilliseconds(20),
                    ReconnectJitter = TimeSpan.FromMilliseconds(1),
                    PingInterval = server.Equals(Server) ? TimeSpan.FromMinutes(2) : TimeSpan.FromMilliseconds(200),
                },
                RequireServer = true,
                Routes = routes,
                Logger = Log,
            },
            TestContext.Current.CancellationToken);
        _bridges.Add(bridge);
        return bridge;
    }

    /// <summary>Ends a bridge; it is not the site's any more.</summary>
    public Task<long> EndAsync(ZeroMqBridge bridge, TimeSpan linger)
    {
        _bridges.Remove(bridge);
        return bridge.CloseAsync(linger);
    }

    /// <summary>A program of its own with one socket, connected where the endpoint is.</summary>
    public async Task<ForeignSocket> ProgramAsync(string type, string? endpoint = null, params (string Name, JsonNode Value)[] options)
    {
        ForeignHost host = ForeignHost.Take(_kind);
        ForeignSocket socket;
        try
        {
            socket = await host.SocketAsync(type, options);
        }
        catch
        {
            await host.DisposeAsync();
            throw;
        }

        _programs.Add(socket, host);
        if (endpoint is not null)
        {
            await socket.ConnectAsync(At(endpoint));
        }

        return socket;
    }

    /// <summary>A SUB of everything, or of what begins so, that hears from now on what is published.</summary>
    public async Task<ForeignSocket> SubscriberAsync(string endpoint, string prefix = "", params (string Name, JsonNode Value)[] options)
    {
        ForeignSocket sub = await ProgramAsync("SUB", endpoint, options);
        await sub.SubscribeAsync(Shapes.Bytes(prefix));
        await HearsAsync(sub, $"zmq.{prefix}probe");
        return sub;
    }

    /// <summary>A PUB that has been told what to send: as XPUB it shows that.</summary>
    public async Task<ForeignSocket> PublisherAsync(string endpoint)
    {
        ForeignSocket pub = await ProgramAsync("XPUB", endpoint);
        Assert.Equal("\u0001", await pub.ReceiveTextAsync());
        return pub;
    }

    /// <summary>Publishes on a subject until the program gets it. What it gets next came afterwards.</summary>
    public async Task HearsAsync(ForeignSocket sub, string subject)
    {
        BrokerConnection client = await ClientAsync();
        await Wait.UntilAsync(
            async () =>
            {
                client.Publish(subject, "probe"u8);
                await client.FlushAsync(TestContext.Current.CancellationToken);
                return await sub.ReceiveAsync(timeout: 20) is not null;
            },
            () => $"nothing of {subject} comes");
        await AlignAsync(subject, sub);
    }

    /// <summary>Publishes on a subject that all hear; each has got it, and what came before it, when this is done.</summary>
    public async Task AlignAsync(string subject, params ForeignSocket[] subs)
    {
        BrokerConnection client = await ClientAsync();
        string mark = $"mark {++_marks}.";
        client.Publish(subject, Shapes.Bytes(mark));
        foreach (ForeignSocket sub in subs)
        {
            while (!(await sub.ReceiveTextAsync()).EndsWith($"|{mark}", StringComparison.Ordinal))
            {
            }
        }
    }

    /// <summary>Ends a program without a goodbye.</summary>
    public void Kill(ForeignSocket program) => _programs[program].Kill();

    /// <summary>Where programs find what listens at an endpoint: there, or where a link makes it one of their version.</summary>
    public string At(string endpoint)
    {
        if (_minor > 0)
        {
            return endpoint;
        }

        var link = VersionLink.Open(endpoint, _minor);
        _links.Add(link);
        return link.Endpoint;
    }

    /// <summary>A link to an endpoint, by which programs find it.</summary>
    public FaultLink Link(string endpoint) => Link(IPEndPoint.Parse(At(endpoint)["tcp://".Length..]));

    public FaultLink Link(IPEndPoint target)
    {
        var link = FaultLink.Open(target);
        _links.Add(link);
        return link;
    }

    public async Task<BrokerConnection> ClientAsync()
    {
        BrokerConnection client = await BrokerConnection.ConnectAsync(
            new ClientOptions { Servers = [$"nats://{Server}"] }, TestContext.Current.CancellationToken);
        _clients.Add(client);
        return client;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ForeignHost program in _programs.Values)
        {
            await program.DisposeAsync();
        }

        foreach (BrokerConnection client in _clients)
        {
            await client.DisposeAsync();
        }

        foreach (ZeroMqBridge bridge in _bridges)
        {
            await bridge.DisposeAsync();
        }

        foreach (IAsyncDisposable link in _links)
        {
            await link.DisposeAsync();
        }

        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        _loops?.Dispose();
        _remote?.Dispose();
    }

    private static RawRouteOptions Raw(string name, RawSocket socket, string to, string from)
        => new() { Name = name, Socket = socket, ToSubject = to, FromSubject = from, Endpoints = [AnyPort] };
}
