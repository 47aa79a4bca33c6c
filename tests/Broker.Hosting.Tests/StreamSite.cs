using Broker.Client;
using Broker.Client.Streams;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests;

/// <summary>A nats-server with streams, a connection to it, and hosts that use it.</summary>
internal sealed class StreamSite : IAsyncDisposable
{
    private readonly NatsServer _server;
    private readonly DirectoryInfo _store;

    private StreamSite(NatsServer server, DirectoryInfo store, BrokerConnection connection)
    {
        _server = server;
        _store = store;
        Connection = connection;
        Streams = connection.Streams(new StreamsOptions { RequestTimeout = Wait.Limit });
    }

    public BrokerConnection Connection { get; }

    public StreamsClient Streams { get; }

    public string Url => _server.Url;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    /// <summary>Starts a server with the stream ORDERS, and without a consumer.</summary>
    public static async Task<StreamSite> StartAsync()
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("hosted-");
        string configuration = $$"""jetstream { store_dir: "{{store.FullName.Replace('\\', '/')}}", max_mem: 64MB, max_file: 64MB }""";
        var server = NatsServer.StartWithConfiguration(configuration);
        var site = new StreamSite(server, store, await BrokerConnection.ConnectAsync(TestHost.Patient(server.Url), Ended));
        await site.Streams.CreateStreamAsync(new StreamConfig("ORDERS", "orders.>"), Ended);
        return site;
    }

    /// <summary>Builds a host with a client of the server. It creates the consumer <c>billing</c> unless a setting says
    /// otherwise.</summary>
    public TestHost Build(Action<IServiceCollection> add, params (string Key, string Value)[] settings)
        => TestHost.Build(
            services => add(services.AddBrokerClient()),
            [
                ("BrokerClient:Servers", Url), ("BrokerStreams:RequestTimeout", Wait.Limit.ToString()), ("BrokerConsumers:billing:Stream", "ORDERS"),
                ("BrokerConsumers:billing:CreateConsumer", "IfMissing"), .. settings,
            ]);

    /// <summary>Starts a host of <see cref="Build"/>.</summary>
    public async Task<TestHost> StartHostAsync(Action<IServiceCollection> add, params (string Key, string Value)[] settings)
    {
        TestHost host = Build(add, settings);
        try
        {
            await host.StartAsync();
            return host;
        }
        catch
        {
            await host.DisposeAsync();
            throw;
        }
    }

    /// <summary>Stores messages of the subject <c>orders.new</c>.</summary>
    public async Task PublishAsync(params string[] bodies)
    {
        foreach (string body in bodies)
        {
            await Streams.PublishAsync("orders.new", System.Text.Encoding.UTF8.GetBytes(body), cancellationToken: Ended);
        }
    }

    /// <summary>Waits until all messages are settled.</summary>
    public Task SettledAsync()
        => Wait.UntilAsync(async () => await Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended) is { Pending: 0, AckPending: 0 }, "all messages are settled");

    public async ValueTask DisposeAsync()
    {
        Streams.Dispose();
        await Connection.DisposeAsync();
        _server.Dispose();
        _store.Delete(recursive: true);
    }
}
