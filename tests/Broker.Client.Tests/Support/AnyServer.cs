using System.Globalization;
using System.Net;
using Broker.Server;

namespace Broker.Client.Tests.Support;

/// <summary>Which server a test talks to: each item of the client is held against both.</summary>
public enum ServerKind
{
    /// <summary>The project's own, in this process, over TCP.</summary>
    Broker,

    /// <summary>nats-server.</summary>
    Nats,
}

/// <summary>One of the two.</summary>
internal sealed class AnyServer : IAsyncDisposable
{
    private readonly BrokerServer? _broker;
    private readonly NatsServer? _nats;

    private AnyServer(BrokerServer? broker, NatsServer? nats) => (_broker, _nats) = (broker, nats);

    public int Port => _nats?.Port ?? ((IPEndPoint)_broker!.EndPoints[0]).Port;

    public string Url => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{Port}");

    public static async Task<AnyServer> StartAsync(ServerKind kind, Action<BrokerServerOptions>? configure = null, string[]? arguments = null)
        => kind == ServerKind.Nats
            ? new AnyServer(null, NatsServer.Start(arguments ?? []))
            : new AnyServer(
                await BrokerServer.StartAsync(
                    options =>
                    {
                        options.Listen(0);
                        configure?.Invoke(options);
                    },
                    TestContext.Current.CancellationToken),
                null);

    public async ValueTask DisposeAsync()
    {
        _nats?.Dispose();
        if (_broker is not null)
        {
            await _broker.DisposeAsync();
        }
    }
}
