using System.Net;
using System.Net.Sockets;
using Broker.Bridge;
using Broker.Client;
using Broker.ZeroMq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting.Tests;

/// <summary>
/// Hosts that are stopped before they have started, and starts that fail after some parts have started.
/// </summary>
public sealed class StartAndStopTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_host_that_is_asked_to_stop_while_its_server_starts_ends_in_order()
    {
        await using var host = TestHost.Build(
            static s => s.AddBroker(static settings => settings.Configure(static (services, _)
                => services.GetRequiredService<IHostApplicationLifetime>().StopApplication())).AddBrokerClient(),
            Listen(FreePort.Next()));

        await host.RunAsync();

        Assert.True(host.Log.Has("Broker.Hosting[4] Information: The server has stopped and has delivered all messages"), host.Log.Text);
    }

    [Fact]
    public async Task A_stop_during_the_start_waits_for_the_part_that_is_starting_and_starts_no_other()
    {
        using var gate = new Gate();
        int port = FreePort.Next();
        await using var host = TestHost.Build(
            s => s.AddBroker(settings => settings.Configure((_, _) => gate.Pass())).AddBrokerClient(static settings => settings.Servers.Add("nats://127.0.0.1:1")),
            Listen(port));
        var start = Task.Run(host.StartAsync, Cancellation);
        await gate.ReachedAsync();

        Task stop = host.StopAsync(Cancellation);
        Assert.False(stop.IsCompleted);
        gate.Open();

        await Task.WhenAll(start, stop).WaitAsync(Wait.Limit, Cancellation);
        await AssertClosedAsync(port);
        Assert.True(host.Log.Has("Broker.Hosting[4] Information: The server has stopped and has delivered all messages"), host.Log.Text);
    }

    [Fact]
    public async Task A_host_that_is_disposed_of_while_it_starts_keeps_nothing_open()
    {
        using var gate = new Gate();
        int port = FreePort.Next();
        var host = TestHost.Build(s => s.AddBroker(settings => settings.Configure((_, _) => gate.Pass())).AddBrokerClient(), Listen(port));
        var start = Task.Run(host.StartAsync, Cancellation);
        await gate.ReachedAsync();

        Task dispose = host.DisposeAsync().AsTask();
        gate.Open();

        await dispose.WaitAsync(Wait.Limit, Cancellation);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => start.WaitAsync(Wait.Limit, Cancellation));
        await AssertClosedAsync(port);
    }

    [Fact]
    public async Task A_start_that_the_caller_gives_up_is_cancelled_and_leaves_nothing_running()
    {
        using var given = new CancellationTokenSource();
        int port = FreePort.Next();
        await using var host = TestHost.Build(s => s.AddBroker(settings => settings.Configure((_, _) => given.Cancel())).AddBrokerClient(), Listen(port));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => host.StartUnlessAsync(given.Token));

        await AssertClosedAsync(port);
    }

    [Fact]
    public async Task A_start_that_fails_at_the_bridge_leaves_neither_server_nor_client_running_and_names_the_cause()
    {
        using var holder = new TcpListener(IPAddress.Loopback, 0);
        holder.Start();
        string taken = $"127.0.0.1:{((IPEndPoint)holder.LocalEndpoint).Port}";
        int port = FreePort.Next();
        await using var host = TestHost.Build(
            s => s.AddBroker().AddBrokerClient().AddZeroMqBridge((_, options) => options with
            {
                Routes = [new PubSubRouteOptions { Publishers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")], Subscribers = [new BridgeEndpoint(Bind: true, "tcp://" + taken)] }],
            }),
            Listen(port));

        ZeroMqBindException e = await Assert.ThrowsAsync<ZeroMqBindException>(host.StartAsync);

        Assert.Contains(taken, e.Message, StringComparison.Ordinal);
        await AssertClosedAsync(port);
        Assert.Equal(ConnectionState.Closed, host.Services.GetRequiredService<BrokerConnection>().State);
        Assert.True(host.Log.Has("Broker.Hosting[20] Error: The host cannot start, and its started parts are closed: Bridge default: Cannot bind to tcp://" + taken), host.Log.Text);
        Assert.False(host.Log.Has("Broker.Hosting[17]"), host.Log.Text);
    }

    private static (string, string) Listen(int port) => ("Broker:Listen:0", $"127.0.0.1:{port}");

    private static async Task AssertClosedAsync(int port)
    {
        using var late = new TcpClient();
        await Assert.ThrowsAsync<SocketException>(() => late.ConnectAsync(IPAddress.Loopback, port, Cancellation).AsTask());
    }

    // Blocks a start until the test continues it.
    private sealed class Gate : IDisposable
    {
        private readonly TaskCompletionSource _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _open = new();

        public Task ReachedAsync() => _reached.Task.WaitAsync(Wait.Limit, Cancellation);

        public void Open() => _open.Set();

        public void Pass()
        {
            _reached.TrySetResult();
            _open.Wait(Wait.Limit);
        }

        public void Dispose()
        {
            _open.Set();
            _open.Dispose();
        }
    }
}
