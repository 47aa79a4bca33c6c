using System.Net;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.TestKit.Processes;
using Broker.Transport;

namespace Broker.BridgeKit;

/// <summary>
/// A NATS system with bridges: an embedded server, normally on the bridges' own loops, or a real nats-server elsewhere.
/// It ends with its clients and bridges.
/// </summary>
/// <param name="loops">The event loops of the embedded server. Null for a real nats-server.</param>
/// <param name="server">The embedded server. Null for a real nats-server.</param>
/// <param name="remote">The real nats-server, which ends with the site.</param>
public abstract class BridgeSite(EventLoopGroup? loops, BrokerServer? server, NatsServer? remote) : IAsyncDisposable
{
    private readonly List<BrokerConnection> _clients = [];
    private readonly List<ZeroMqBridge> _bridges = [];

    public BrokerServer? Server { get; protected set; } = server;

    public NatsServer? Remote { get; } = remote;

    public LogLines Log { get; } = new();

    public string Url => Remote?.Url ?? $"nats://127.0.0.1:{((IPEndPoint)Server!.EndPoints[0]).Port}";

    /// <summary>The bridges that end with the site.</summary>
    protected IReadOnlyList<ZeroMqBridge> Bridges => _bridges;

    protected EventLoopGroup? Loops { get; } = loops;

    public virtual async ValueTask DisposeAsync()
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

        Loops?.Dispose();
        Remote?.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Starts an embedded server on event loops of its own.</summary>
    protected static async Task<(EventLoopGroup Loops, BrokerServer Server)> EmbedAsync(int loops, int port = 0, Action<BrokerServerOptions>? change = null)
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = loops });
        var options = new BrokerServerOptions { Loops = group };
        change?.Invoke(options);
        return (group, await BrokerServer.StartAsync(options.Listen(port)));
    }

    /// <summary>The options of a bridge's connection: in the process, if the server is embedded.</summary>
    protected ClientOptions BridgeClient() => RemoteClient(Url) with { Loops = Loops, Dialer = Server?.CreateDialer() };

    /// <summary>The options of a bridge's connection by TCP.</summary>
    protected static ClientOptions RemoteClient(string url) => new()
    {
        Servers = url.Split(','),
        WhileDisconnected = PublishWhileDisconnected.Drop,
        ReconnectWait = TimeSpan.FromMilliseconds(20),
        ReconnectJitter = TimeSpan.FromMilliseconds(1),
    };

    /// <summary>Starts a bridge that logs to <see cref="Log"/>, or to another log. The caller ends it.</summary>
    protected Task<ZeroMqBridge> StartBridgeAsync(ClientOptions client, IReadOnlyList<RouteOptions> routes, LogLines? log = null)
        => ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions { Client = client, Routes = routes, Logger = log ?? Log }, TestContext.Current.CancellationToken);

    /// <summary>Ends a bridge with the site.</summary>
    protected ZeroMqBridge Keep(ZeroMqBridge bridge)
    {
        _bridges.Add(bridge);
        return bridge;
    }

    /// <summary>Leaves the end of a bridge to the caller.</summary>
    protected void Forget(ZeroMqBridge bridge) => _bridges.Remove(bridge);

    /// <summary>Connects a client that ends with the site.</summary>
    protected async Task<BrokerConnection> ConnectAsync(ClientOptions options)
    {
        BrokerConnection client = await BrokerConnection.ConnectAsync(options, TestContext.Current.CancellationToken);
        _clients.Add(client);
        return client;
    }
}
