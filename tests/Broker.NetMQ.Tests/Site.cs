using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.Transport;
using NetMQ;

namespace Broker.NetMQ.Tests;

/// <summary>A server and a bridge in this process, and a running poller for the sockets of a test.</summary>
internal sealed class Site : BridgeSite
{
    private readonly List<NetMQSocket> _sockets = [];

    // Loops that poll before they sleep take processor time from the program's threads, of which a message passes many.
    private readonly EventLoopGroup _bridgeLoops = new(new EventLoopOptions { IdlePolls = 0 });

    private Site(EventLoopGroup loops, BrokerServer server)
        : base(loops, server, remote: null)
    {
    }

    internal NetMQPoller Poller { get; } = [];

    internal ZeroMqBridge Bridge { get; private set; } = null!;

    internal static async Task<Site> StartAsync(Func<ClientOptions, ClientOptions>? client = null)
    {
        (EventLoopGroup loops, BrokerServer server) = await EmbedAsync(1);
        var site = new Site(loops, server);

        // By TCP and on loops of its own, so that it outlives the server.
        ClientOptions options = RemoteClient(site.Url) with { Loops = site._bridgeLoops };
        site.Bridge = site.Keep(await site.StartBridgeAsync(client?.Invoke(options) ?? options, []));
        site.Poller.RunAsync();
        return site;
    }

    public override async ValueTask DisposeAsync()
    {
        if (!Poller.IsDisposed)
        {
            Poller.Stop();
            Poller.Dispose();
        }

        _sockets.ForEach(static socket => socket.Dispose());
        await base.DisposeAsync();
        _bridgeLoops.Dispose();
    }

    /// <summary>Ends a socket with the site.</summary>
    internal T Own<T>(T socket)
        where T : NetMQSocket
    {
        _sockets.Add(socket);
        return socket;
    }

    /// <summary>Adds a socket to the poller and ends it with the site.</summary>
    internal T Poll<T>(T socket)
        where T : NetMQSocket
    {
        Poller.Add(Own(socket));
        return socket;
    }

    internal Task<NetMQAttachment> AttachAsync(NetMQSocket socket, RouteOptions route, NetMQAttachmentOptions? options = null)
        => Bridge.AttachAsync(Poller, socket, route, options);

    internal Task<BrokerConnection> ClientAsync() => ConnectAsync(RemoteClient(Url));

    internal async Task StopServerAsync()
    {
        int port = new Uri(Url).Port;
        Port = port;
        await Server!.DisposeAsync();
        Server = null;
    }

    internal async Task StartServerAsync()
        => Server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = Loops }.Listen(Port));

    private int Port { get; set; }
}
