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
/// A NATS server (this broker or Debian's nats-server) reached over TCP, with bridges and unmodified ZeroMQ programs.
/// Each program runs in its own process, and all use one version of ZMTP.
/// </summary>
internal sealed class ContractSite : IAsyncDisposable
{
    // No live peer counts as lost, even on a slow machine.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromHours(1);

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
        // A fixed port that no other process receives while the server is stopped.
        _port = FreePort.Next();
        _remote = foreign ? NatsServer.StartAt(_port) : null;
        _loops = foreign ? null : new EventLoopGroup(new EventLoopOptions { Loops = 1 });
    }

    public static BridgeEndpoint AnyPort => new(true, "tcp://127.0.0.1:0");

    public static PubSubRouteOptions PubSub => new() { Publishers = [AnyPort], Subscribers = [AnyPort] };

    public static PushPullRouteOptions PushPull => new()
    {
        Subject = "work.orders",
        Pushers = [AnyPort],
        Pullers = [AnyPort],
        PeerTimeout = TimeSpan.FromMinutes(5),
        StopTimeout = TimeSpan.Zero,
    };

    public static RequestRouteOptions Requests => new() { Subject = "svc.echo", Endpoints = [AnyPort], TimeToLive = WaitLimit };

    public static WorkerRouteOptions Workers => new() { Subject = "svc.echo", Endpoints = [AnyPort], TimeToLive = WaitLimit };

    /// <summary>A ROUTER route and a DEALER route that are a proxy across subjects.</summary>
    public static RawRouteOptions Router => Raw("router", RawSocket.Router, "raw.there", "raw.back");

    public static RawRouteOptions Dealer => Raw("dealer", RawSocket.Dealer, "raw.back", "raw.there") with { CarryIdentities = true };

    /// <summary>Two PAIR routes. Each receives the messages of the other.</summary>
    public static RawRouteOptions Left => Raw("left", RawSocket.Pair, "pair.right", "pair.left");

    public static RawRouteOptions Right => Raw("right", RawSocket.Pair, "pair.left", "pair.right");

    /// <summary>The first bridge.</summary>
    public ZeroMqBridge Bridge => _bridges[0];

    public LogLines Log { get; } = new();

    /// <summary>How many greetings were changed to an older version.</summary>
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

    /// <summary>Kills the server, and waits until the bridges have noticed it.</summary>
    public async Task LoseServerAsync()
    {
        _remote?.Kill();
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        await Wait.UntilAsync(() => _bridges.TrueForAll(bridge => bridge.Snapshot().Server is null), "the loss of the server");
    }

    /// <summary>Starts the server again at the same port.</summary>
    public async Task StartServerAsync()
    {
        if (_remote is not null)
        {
            _remote.Restart();
            return;
        }

        _server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = _loops }.Listen(_port));
    }

    /// <summary>Starts another bridge that reaches the server through TCP.</summary>
    public Task<ZeroMqBridge> BridgeAsync(params RouteOptions[] routes) => BridgeAsync(Server, routes);

    /// <param name="server">The address of the server, for example of a link to it.</param>
    /// <param name="routes">The routes of the bridge.</param>
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

    /// <summary>Closes a bridge and removes it from the site.</summary>
    public Task<long> EndAsync(ZeroMqBridge bridge, TimeSpan linger)
    {
        _bridges.Remove(bridge);
        return bridge.CloseAsync(linger);
    }

    /// <summary>Starts a program with one socket that is connected to the endpoint.</summary>
    public async Task<ForeignSocket> ProgramAsync(string type, string? endpoint = null, params (string Name, JsonNode Value)[] options)
    {
        var host = ForeignHost.Take(_kind);
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

    /// <summary>Starts a SUB of everything or of a prefix, and waits until it receives published messages.</summary>
    public async Task<ForeignSocket> SubscriberAsync(string endpoint, string prefix = "", params (string Name, JsonNode Value)[] options)
    {
        ForeignSocket sub = await ProgramAsync("SUB", endpoint, options);
        await sub.SubscribeAsync(Shapes.Bytes(prefix));
        await HearsAsync(sub, $"zmq.{prefix}probe");
        return sub;
    }

    /// <summary>
    /// Starts a PUB, and waits until it has received the subscription of the bridge. For this, it is an XPUB.
    /// </summary>
    public async Task<ForeignSocket> PublisherAsync(string endpoint)
    {
        ForeignSocket pub = await ProgramAsync("XPUB", endpoint);
        Assert.Equal("\u0001", await pub.ReceiveTextAsync());
        return pub;
    }

    /// <summary>
    /// Publishes to a subject until the program receives the message. The next message that it receives was published
    /// later.
    /// </summary>
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

    /// <summary>
    /// Publishes to a subject of all programs, and waits until each has received the message and all messages before
    /// it.
    /// </summary>
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

    /// <summary>Kills a program.</summary>
    public void Kill(ForeignSocket program) => _programs[program].Kill();

    /// <summary>
    /// Returns the endpoint that programs connect to: the endpoint itself, or a link that changes the version of ZMTP.
    /// </summary>
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

    /// <summary>Starts a link to an endpoint and returns the endpoint of the link.</summary>
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
