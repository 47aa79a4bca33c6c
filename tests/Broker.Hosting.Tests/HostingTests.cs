using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests;

public sealed class HostingTests
{
    private static readonly (string, string) Free = ("Broker:Listen:0", "127.0.0.1:0");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_server_and_its_clients_live_as_long_as_the_host()
    {
        // Not a port that the system chooses: after it is free again, another program could get it.
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddBrokerClient().AddBrokerClient("other"), ("Broker:Listen:0", $"127.0.0.1:{FreePort.Next()}"));
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        BrokerConnection other = host.Services.GetRequiredKeyedService<BrokerConnection>("other");
        Assert.NotSame(client, other);
        Assert.Equal(ConnectionState.Connected, client.State);
        TaskCompletionSource<string> heard = Wait.Source<string>();
        other.Subscribe("a", (in message) => heard.TrySetResult(Encoding.UTF8.GetString(message.Body)));
        await other.FlushAsync(Cancellation);
        await using BrokerConnection outside = await BrokerConnection.ConnectAsync(TestHost.Patient(host.Url), Cancellation);

        int port = ((IPEndPoint)host.Services.GetRequiredService<BrokerServer>().EndPoints[0]).Port;
        outside.Publish("a", "hello"u8);

        Assert.Equal("hello", await Wait.For(heard));
        await host.StopAsync(Cancellation);
        Assert.Equal((ConnectionState.Closed, ConnectionState.Closed), (client.State, other.State));
        Assert.True(host.Log.Has("Broker.Hosting[4] Information: The server has stopped and has delivered all messages"), host.Log.Text);
        using var late = new TcpClient();
        await Assert.ThrowsAsync<SocketException>(() => late.ConnectAsync(IPAddress.Loopback, port, Cancellation).AsTask());
    }

    [Fact]
    public async Task All_of_a_host_share_one_group_of_loops()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker().AddBrokerClient(), Free, ("Broker:Loops", "2"));

        EventLoopGroup loops = host.Services.GetRequiredService<EventLoopGroup>();
        Assert.Equal(2, loops.Count);
        Assert.Same(loops, host.Services.GetRequiredService<BrokerServer>().Loops);
        Assert.Same(loops, host.Services.GetRequiredService<BrokerConnection>().Loop.Group);
    }

    [Fact]
    public async Task A_hosted_service_has_its_client_from_its_constructor_to_the_end_of_its_stop()
    {
        var said = new List<string>();
        await using (TestHost host = await TestHost.StartAsync(
            s => s.AddSingleton(said).AddHostedService<Worker>().AddBrokerClient().AddBroker(), Free))
        {
            await host.StopAsync(Cancellation);
        }

        Assert.Equal(["Connected", "Connected"], said);
    }

    [Fact]
    public async Task A_taken_address_fails_the_host()
    {
        using var holder = new TcpListener(IPAddress.Loopback, 0);
        holder.Start();
        int port = ((IPEndPoint)holder.LocalEndpoint).Port;
        await using var host = TestHost.Build(static s => s.AddBroker(), ("Broker:Listen:0", $"127.0.0.1:{port}"));

        ListenException e = await Assert.ThrowsAsync<ListenException>(host.StartAsync);

        Assert.Contains($"127.0.0.1:{port}", e.Address, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_without_a_server_fails_the_host_or_looks_for_one()
    {
        int port = FreePort.Next();
        (string, string) nowhere = ("BrokerClient:Servers:0", $"nats://127.0.0.1:{port}");
        await using var failing = TestHost.Build(static s => s.AddBrokerClient(), nowhere);
        await Assert.ThrowsAnyAsync<ClientException>(failing.StartAsync);

        await using TestHost host = await TestHost.StartAsync(static s => s.AddBrokerClient(), nowhere, ("BrokerClient:FirstConnect", "Background"));
        Assert.NotEqual(ConnectionState.Connected, host.Services.GetRequiredService<BrokerConnection>().State);
    }

    [Fact]
    public async Task A_client_reads_the_connection_string_of_its_name()
    {
        await using BrokerServer first = await StartServerAsync("first");
        await using BrokerServer second = await StartServerAsync("second");

        // The host's own server is not used, because the connection string names another one.
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddBrokerClient().AddBrokerClient("other"), Free,
            ("ConnectionStrings:nats", $"nats://127.0.0.1:1, {Url(first)}"), ("ConnectionStrings:other", Url(second)));
        Assert.Equal("first", host.Services.GetRequiredService<BrokerConnection>().ServerInfo?.Name);
        Assert.Equal("second", host.Services.GetRequiredKeyedService<BrokerConnection>("other").ServerInfo?.Name);

        // The section of the client takes precedence.
        await using TestHost named = await TestHost.StartAsync(
            static s => s.AddBrokerClient(), ("ConnectionStrings:nats", "nats://127.0.0.1:1"), ("BrokerClient:Servers:0", Url(second)));
        Assert.Equal("second", named.Services.GetRequiredService<BrokerConnection>().ServerInfo?.Name);

        await using var wrong = TestHost.Build(static s => s.AddBrokerClient(), ("ConnectionStrings:nats", "ftp://user:secret@x"));
        OptionsValidationException e = await Assert.ThrowsAsync<OptionsValidationException>(wrong.StartAsync);
        Assert.StartsWith("ConnectionStrings:nats: ", e.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", e.Message, StringComparison.Ordinal);

        static Task<BrokerServer> StartServerAsync(string name) => BrokerServer.StartAsync(
            o =>
            {
                o.ServerName = name;
                o.Listen(0);
            },
            Cancellation);

        static string Url(BrokerServer server) => $"nats://127.0.0.1:{((IPEndPoint)server.EndPoints[0]).Port}";
    }

    [Theory]
    [InlineData("Broker:MaxPayload", "0", "Broker:MaxPayload")]
    [InlineData("Broker:MaxPayload", "many", "Broker:MaxPayload")]
    [InlineData("Broker:MaxPaylod", "1", "MaxPaylod")]
    [InlineData("Broker:Listen:0", "nowhere:x", "Broker:Listen")]
    [InlineData("Broker:Listen:0", "nowhere.invalid:4222", "Broker:Listen: \"nowhere.invalid:4222\": the name nowhere.invalid")]
    [InlineData("Broker:ConnectUrls:0", "x", "Broker:ConnectUrls")]
    [InlineData("Broker:Users:0:Name", "ada", "Broker:Users")]
    [InlineData("Broker:Token", "", "Broker:Token")]
    [InlineData("Broker:PingInterval", "-00:00:01", "Broker:PingInterval")]
    [InlineData("Broker:Loops", "-1", "Broker:Loops")]
    [InlineData("Broker:SlowConsumers", "Wait", "Broker:SlowConsumers")]
    [InlineData("Broker:Tls:CertificateFile", "/nowhere.pem", "Broker:Tls:CertificateFile")]
    [InlineData("Broker:Tls:ClientAuthorityFile", "/nowhere.pem", "Broker:Tls")]
    [InlineData("BrokerClient:FirstConnect", "Retry", "BrokerClient:FirstConnect")]
    [InlineData("BrokerClient:Servers:0", "ftp://x", "BrokerClient:Servers")]
    [InlineData("BrokerClient:PingInterval", "-00:00:01", "BrokerClient:PingInterval")]
    [InlineData("BrokerClient:ReconnectBufferSize", "-5", "BrokerClient:ReconnectBufferSize")]
    [InlineData("BrokerClient:TlsAuthorityFile", "/nowhere.pem", "BrokerClient:TlsAuthorityFile")]
    [InlineData("BrokerClients:other:Servers:0", "ftp://x", "BrokerClients:other:Servers")]
    [InlineData("BrokerClient:Serves:0", "x", "Serves")]
    public async Task A_wrong_setting_fails_the_host_and_is_named(string key, string value, string named)
    {
        await using var host = TestHost.Build(static s => s.AddBroker(o => o.Listen.Add("127.0.0.1:0")).AddBrokerClient().AddBrokerClient("other"), (key, value));

        Exception? e = await Record.ExceptionAsync(host.StartAsync);

        Assert.True(e is OptionsValidationException or InvalidOperationException, e?.ToString());
        Assert.Contains(named, e!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_change_of_the_configuration_reaches_the_server_that_runs()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker().AddBrokerClient(), Free);
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        Assert.Equal(65_536, server.MaxConnections);

        host.Change(("Broker:MaxConnections", "7"));

        await Wait.UntilAsync(() => server.MaxConnections == 7, "the new limit");
        await Wait.UntilAsync(() => host.Log.Has("Broker.Hosting[2] Information: The settings were reloaded"), "the log");
        Assert.Equal(ConnectionState.Connected, host.Services.GetRequiredService<BrokerConnection>().State);
    }

    [Theory]
    [InlineData("Broker:MaxPayload", "0", "Broker:MaxPayload")]
    [InlineData("Broker:MaxPayload", "x", "Broker:MaxPayload")]
    [InlineData("Broker:Listen:0", "127.0.0.1:1", "Broker:Listen cannot change")]
    [InlineData("Broker:ServerName", "other", "ServerName cannot change")]
    [InlineData("Broker:Loops", "2", "Broker:Loops cannot change")]
    [InlineData("Broker:InProcessOnly", "true", "InProcessOnly")]
    public async Task A_change_that_is_wrong_is_logged_and_nothing_has_changed(string key, string value, string said)
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker(), Free);
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();

        host.Change(("Broker:MaxConnections", "7"), (key, value));

        await Wait.UntilAsync(() => host.Log.Has("Broker.Hosting[3] Error: "), () => host.Log.Text);
        Assert.True(host.Log.Has(said), host.Log.Text);
        Assert.Equal(65_536, server.MaxConnections);
    }

    [Fact]
    public async Task Users_and_what_code_says_hold_for_clients_outside_and_the_own_client_is_whom_it_names()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker(o => o.Configure(static options => options.MaxSubscriptions = 3)).AddBrokerClient(),
            Free,
            ("Broker:Users:0:Name", "ada"),
            ("Broker:Users:0:Password", "secret"),
            ("Broker:Users:0:Publish:Allow:0", "open"),
            ("BrokerClient:User", "ada"));

        Assert.Equal(ConnectionState.Connected, host.Services.GetRequiredService<BrokerConnection>().State);
        await Assert.ThrowsAsync<AuthorizationException>(() => BrokerConnection.ConnectAsync(TestHost.Patient(host.Url), Cancellation));
        TaskCompletionSource<string> refused = Wait.Source<string>();
        await using BrokerConnection ada = await BrokerConnection.ConnectAsync(
            TestHost.Patient(host.Url) with { User = "ada", Password = "secret", OnServerError = (_, text) => refused.TrySetResult(text) }, Cancellation);
        ada.Publish("closed", "x"u8);
        Assert.Contains("Permissions Violation", await Wait.For(refused), StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task Health_follows_the_life_of_the_host()
    {
        await using var host = TestHost.Build(
            static s =>
            {
                s.AddBroker().AddBrokerClient().AddHostedService<SlowStop>().AddHealthChecks().AddBroker();
                s.AddSingleton<StopGate>();
            },
            Free);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        HealthReport before = await health.CheckHealthAsync(Cancellation);
        Assert.Equal((HealthStatus.Unhealthy, "starting"), (before.Entries["broker"].Status, before.Entries["broker"].Description));
        await host.StartAsync();

        HealthReport running = await health.CheckHealthAsync(Cancellation);
        Assert.Equal(HealthStatus.Healthy, running.Status);
        Assert.Equal(["broker", "broker-client", "broker-leaf", "broker-loops"], running.Entries.Keys.Order(StringComparer.Ordinal));

        StopGate gate = host.Services.GetRequiredService<StopGate>();
        Task stopping = host.StopAsync(Cancellation);
        await Wait.For(gate.Reached);
        HealthReport draining = await health.CheckHealthAsync(Cancellation);
        Assert.Equal((HealthStatus.Unhealthy, "draining"), (draining.Entries["broker"].Status, draining.Entries["broker"].Description));
        Assert.Equal(HealthStatus.Healthy, draining.Entries["broker-loops"].Status);
        gate.Open.SetResult();
        await Wait.For(stopping);
    }

    [Fact]
    public async Task What_nobody_takes_before_the_hosts_time_is_over_is_counted()
    {
        await using TestHost host = await TestHost.StartAsync(static s => s.AddBroker().AddBrokerClient(), Free, ("Broker:WriteDeadline", "00:10:00"));
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        using var reader = new TcpClient();
        await reader.ConnectAsync(IPAddress.Loopback, ((IPEndPoint)server.EndPoints[0]).Port, Cancellation);
        await reader.GetStream().WriteAsync("CONNECT {\"verbose\":false}\r\nSUB a 1\r\n"u8.ToArray(), Cancellation);
        await Wait.UntilAsync(() => server.Snapshot().Subscriptions == 1, "the subscription");
        // More than the sockets buffer.
        byte[] body = new byte[1_000_000];
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        for (int i = 0; i < 30; i++)
        {
            await client.PublishAsync("a", body, cancellationToken: Cancellation);
        }

        await client.FlushAsync(Cancellation);
        using var over = new CancellationTokenSource();
        await over.CancelAsync();

        await host.StopAsync(over.Token);

        Assert.Matches(@"Broker\.Hosting\[5\] Warning: The server has stopped and did not deliver \d+ messages \(\d+ bytes\) to 1 clients", host.Log.Text);
    }

    [Fact]
    public async Task A_bridge_joins_the_server_of_its_host()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddBrokerClient().AddZeroMqBridge(static (_, options) => options with
            {
                Routes =
                [
                    new Bridge.PubSubRouteOptions
                    {
                        Publishers = [new Bridge.BridgeEndpoint(true, "tcp://127.0.0.1:*")],
                        Subscribers = [new Bridge.BridgeEndpoint(true, "tcp://127.0.0.1:*")],
                    },
                ],
            }),
            Free);
        TaskCompletionSource<string> heard = Wait.Source<string>();
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        client.Subscribe("zmq.weather.>", (in message) => heard.TrySetResult(Encoding.UTF8.GetString(message.Body)));
        await client.FlushAsync(Cancellation);
        PubSubRouteSnapshot route = Assert.IsType<Bridge.PubSubRouteSnapshot>(Assert.Single(host.Services.GetRequiredService<Bridge.ZeroMqBridge>().Snapshot().Routes));
        await using var publisher = new ZeroMq.PublisherSocket();
        publisher.Connect(route.PublisherEndpoints[0]);

        // A publisher is not notified of subscriptions.
        await Wait.UntilAsync(() => heard.Task.IsCompleted, static () => "no message", () => ZeroMq.Sending.Send(publisher, "weather.oslo", "4 degrees"));

        Assert.Equal("4 degrees", await heard.Task);
        await host.StopAsync(Cancellation);
    }

    private sealed class Worker(BrokerConnection client, List<string> said) : IHostedService
    {
        public async Task StartAsync(CancellationToken cancellationToken)
        {
            await client.FlushAsync(cancellationToken);
            said.Add(client.State.ToString());
        }

        public async Task StopAsync(CancellationToken cancellationToken)
        {
            await client.FlushAsync(cancellationToken);
            said.Add(client.State.ToString());
        }
    }

    private sealed class StopGate
    {
        public TaskCompletionSource Reached { get; } = Wait.Source();

        public TaskCompletionSource Open { get; } = Wait.Source();
    }

    private sealed class SlowStop(StopGate gate) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken)
        {
            gate.Reached.SetResult();
            return gate.Open.Task.WaitAsync(cancellationToken);
        }
    }
}
