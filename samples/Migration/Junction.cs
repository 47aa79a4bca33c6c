using System.Net;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;

namespace Migration;

/// <summary>A NATS server with a bridge and a client. The server runs in this process or already exists.</summary>
public sealed class Junction : IAsyncDisposable
{
    private readonly BrokerServer? _server;

    private Junction(BrokerServer? server, ZeroMqBridge bridge, BrokerConnection client)
    {
        _server = server;
        Bridge = bridge;
        Client = client;
    }

    /// <summary>The bridge.</summary>
    public ZeroMqBridge Bridge { get; }

    /// <summary>The NATS client.</summary>
    public BrokerConnection Client { get; }

    /// <summary>Starts the server if necessary, the bridge and the client.</summary>
    /// <param name="url">The address of an existing server; null to start one in this process.</param>
    /// <param name="routes">The routes of the bridge.</param>
    public static async Task<Junction> StartAsync(string? url, params RouteOptions[] routes)
    {
        BrokerServer? server = url is null ? await BrokerServer.StartAsync(new BrokerServerOptions().Listen(0)).ConfigureAwait(false) : null;
        string[] servers = [url ?? $"nats://127.0.0.1:{((IPEndPoint)server!.EndPoints[0]).Port}"];
        ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(new ZeroMqBridgeOptions
        {
            Client = new ClientOptions { Servers = servers, WhileDisconnected = PublishWhileDisconnected.Drop },
            Routes = routes,
            RequireServer = true,
        }).ConfigureAwait(false);
        BrokerConnection client = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = servers }).ConfigureAwait(false);
        return new Junction(server, bridge, client);
    }

    /// <summary>Returns the counters of a route.</summary>
    public RouteSnapshot Route(string name) => Bridge.Snapshot().Routes.Single(route => route.Name == name);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync().ConfigureAwait(false);
        await Bridge.DisposeAsync().ConfigureAwait(false);
        if (_server is not null)
        {
            await _server.DisposeAsync().ConfigureAwait(false);
        }
    }
}
