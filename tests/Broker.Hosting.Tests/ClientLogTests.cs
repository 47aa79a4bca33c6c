using Broker.Client;
using Broker.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting.Tests;

/// <summary>The log messages about a client in a host.</summary>
public sealed class ClientLogTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_client_that_finds_no_server_says_so_once_and_then_for_who_looks_for_faults()
    {
        int port = FreePort.Next();
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddLogging(static l => l.SetMinimumLevel(LogLevel.Debug)).AddBrokerClient(
                static c => c.Configure(static o => o with { ReconnectWait = TimeSpan.FromMilliseconds(1), MaxReconnectWait = TimeSpan.FromMilliseconds(1) })),
            ("BrokerClient:Servers:0", $"nats://127.0.0.1:{port}"),
            ("BrokerClient:FirstConnect", "Background"));

        await Wait.UntilAsync(() => host.Log.Has("Broker.Client[7] Debug: Client (default): still no server can be reached"), () => host.Log.Text);

        Assert.Single(host.Log.Text.Split('\n'), static l => l.StartsWith("Broker.Client[6] Warning: Client (default): no server can be reached", StringComparison.Ordinal));
        await host.StopAsync(Cancellation);
        Assert.False(host.Log.Has("Broker.Hosting[17]"), host.Log.Text);
    }

    [Fact]
    public async Task Callbacks_of_the_application_are_called_beside_the_log()
    {
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        TaskCompletionSource<Exception> faulted = Wait.Source<Exception>();
        BrokerServer server = await BrokerServer.StartAsync(static o => o.Listen(0), Cancellation);
        await using TestHost host = await TestHost.StartAsync(
            s => s.AddBrokerClient(c => c.Configure(o => o with
            {
                OnDisconnected = (_, reason) => lost.TrySetResult(reason),
                OnFault = (_, fault) => faulted.TrySetResult(fault),
            })),
            ("BrokerClient:Servers:0", $"nats://{server.EndPoints[0]}"));
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        client.Subscribe("a", static (in _) => throw new InvalidDataException("no order"));
        client.Publish("a", default);
        Assert.Equal("no order", (await Wait.For(faulted)).Message);

        await server.DisposeAsync();

        Assert.IsAssignableFrom<ClientException>(await Wait.For(lost));
        await Wait.UntilAsync(() => host.Log.Has("Broker.Client[1] Warning: Client (default): the server was lost"), () => host.Log.Text);
        await Wait.UntilAsync(() => host.Log.Has("Broker.Client[5] Error: Client (default): a handler threw an exception"), () => host.Log.Text);
    }

    [Fact]
    public async Task A_client_that_is_closed_while_the_host_goes_on_is_an_error_and_at_its_end_is_not()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddBrokerClient().AddBrokerClient("other"), ("Broker:Listen:0", "127.0.0.1:0"));

        await host.Services.GetRequiredKeyedService<BrokerConnection>("other").CloseAsync();

        await Wait.UntilAsync(() => host.Log.Has("Broker.Hosting[17] Error: Client other was closed while the host runs"), () => host.Log.Text);
        await host.StopAsync(Cancellation);
        Assert.False(host.Log.Has("Client (default) is closed"), host.Log.Text);
    }

    [Fact]
    public async Task A_server_that_asks_its_clients_to_leave_is_told()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static o => o.Listen(0), Cancellation);
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBrokerClient(), ("BrokerClient:Servers:0", $"nats://{server.EndPoints[0]}"));

        Task leaving = server.EnterLameDuckAsync(TimeSpan.FromMilliseconds(1), TimeSpan.Zero, Cancellation);

        await Wait.UntilAsync(() => host.Log.Has("Broker.Client[8] Information: Client (default): the server will shut down"), () => host.Log.Text);
        await leaving;
    }
}
