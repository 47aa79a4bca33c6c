using System.Net;
using System.Text.Json;
using Broker.Server;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>A server with its monitoring pages, and optionally with WebSockets.</summary>
internal sealed class Site : IAsyncDisposable
{
    private static readonly IPEndPoint Free = new(IPAddress.Loopback, 0);

    private readonly MonitoringHost _monitoring;
    private readonly NatsWebSocketHost? _sockets;

    private Site(BrokerServer server, MonitoringHost monitoring, NatsWebSocketHost? sockets)
    {
        Server = server;
        _monitoring = monitoring;
        _sockets = sockets;
        Http = new HttpClient { BaseAddress = monitoring.Address, Timeout = Wait.Limit };
    }

    internal BrokerServer Server { get; }

    internal HttpClient Http { get; }

    internal Uri WebSocketAddress => _sockets!.Address;

    internal static async Task<Site> StartAsync(
        Action<BrokerServerOptions>? server = null, MonitoringOptions? monitoring = null, NatsWebSocketOptions? sockets = null,
        Func<BrokerServer, CancellationToken, Task<IServerStreams>>? streams = null)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        var options = new BrokerServerOptions();
        options.Listen(0);
        server?.Invoke(options);
        BrokerServer started = streams is null
            ? await BrokerServer.StartAsync(options, cancellation)
            : await BrokerServer.StartAsync(options, streams, cancellation);
        return new Site(
            started,
            await MonitoringHost.StartAsync(started, Free, monitoring, cancellation),
            sockets is null ? null : await NatsWebSocketHost.StartAsync(started, Free, sockets, cancellation));
    }

    internal LineClient Connect(string connect = "{\"verbose\":false,\"pedantic\":false}", string more = "")
        => new(Server.EndPoints[0], connect, more);

    internal async Task<JsonElement> GetAsync(string path)
    {
        using var json = JsonDocument.Parse(await Http.GetStringAsync(path, TestContext.Current.CancellationToken));
        return json.RootElement.Clone();
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        if (_sockets is not null)
        {
            await _sockets.DisposeAsync();
        }

        await _monitoring.DisposeAsync();
        await Server.DisposeAsync();
    }
}
