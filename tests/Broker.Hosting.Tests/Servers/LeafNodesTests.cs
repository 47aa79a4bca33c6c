using System.Diagnostics.Metrics;
using System.Globalization;
using Broker.Client;
using Broker.Hosting.Tests.Telemetry;
using Broker.Leaf;
using Broker.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests.Servers;

/// <summary>A host whose server joins a nats-server as a leaf node.</summary>
public sealed class LeafNodesTests
{
    private static readonly (string, string) Free = ("Broker:Listen:0", "127.0.0.1:0");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Messages_pass_the_link_of_the_settings_and_a_change_of_the_settings_ends_it()
    {
        int port = FreePort.Next();
        using var hub = NatsServer.StartWithConfiguration(
            string.Create(CultureInfo.InvariantCulture, $"leafnodes {{ host: 127.0.0.1, port: {port}, authorization {{ user: edge, password: secret }} }}"));
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddBrokerClient().AddHealthChecks().AddBroker(),
            Free,
            ("Broker:LeafNodes:Remotes:0:Urls", string.Create(CultureInfo.InvariantCulture, $"nats-leaf://edge:secret@127.0.0.1:{port}")));
        LeafNodes links = host.Services.GetRequiredService<LeafNodes>();
        await using BrokerConnection atHub = await BrokerConnection.ConnectAsync(hub.Url, Cancellation);
        using var metrics = new RecordedMetrics(host.Services.GetRequiredService<IMeterFactory>());
        var received = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        atHub.Subscribe("orders.new", (in MessageView message) => received.TrySetResult(System.Text.Encoding.UTF8.GetString(message.Body)));
        await atHub.FlushAsync(Cancellation);
        await Wait.UntilAsync(async () => (await InterestAsync(host)).Contains("orders.new"), () => links.Remotes.Single().ToString());

        host.Services.GetRequiredService<BrokerConnection>().Publish("orders.new", "42"u8);

        Assert.Equal("42", await received.Task.WaitAsync(Wait.Limit, Cancellation));
        Assert.Equal(HealthStatus.Healthy, (await HealthAsync(host)).Status);
        (long isConnected, Dictionary<string, object?> tags) = Assert.Single(metrics.Read()["broker.leaf.connected"]);
        Assert.Equal((1, "$G"), (isConnected, tags["broker.leaf.account"]));
        Assert.Equal(1, Assert.Single(metrics.Read()["broker.leaf.messages.sent"]).Value);

        host.Change(("Broker:LeafNodes:Remotes:0:Disabled", "true"));

        await Wait.UntilAsync(() => links.Remotes.Count == 0, () => host.Log.Text);
    }

    [Fact]
    public async Task A_host_with_an_unreachable_hub_starts_and_is_degraded_and_says_why()
    {
        int port = FreePort.Next();

        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddHealthChecks().AddBroker(),
            Free,
            ("Broker:LeafNodes:Remotes:0:Urls:0", string.Create(CultureInfo.InvariantCulture, $"nats-leaf://edge:secret@127.0.0.1:{port}")));

        LeafNodes links = host.Services.GetRequiredService<LeafNodes>();
        await Wait.UntilAsync(() => links.Remotes.Single().LastError.Length > 0, () => links.Remotes.Single().ToString());
        HealthReportEntry health = await HealthAsync(host);
        Assert.Equal(HealthStatus.Degraded, health.Status);
        Assert.StartsWith(string.Create(CultureInfo.InvariantCulture, $"not connected to 127.0.0.1:{port}: "), health.Description, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", health.Description + host.Log.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_server_joins_at_the_address_of_the_settings_and_a_changed_password_ends_its_link()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker(),
            Free,
            ("Broker:LeafNodes:Listen", "127.0.0.1:0"),
            ("Broker:LeafNodes:Users:0:Name", "edge"),
            ("Broker:LeafNodes:Users:0:Password", "secret"));
        LeafNodes links = host.Services.GetRequiredService<LeafNodes>();
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Cancellation);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions { Remotes = [new LeafRemoteOptions { Urls = [$"nats-leaf://edge:secret@{links.EndPoint}"] }] });

        await Wait.UntilAsync(() => links.Joined.SingleOrDefault()?.UserName == "edge", () => host.Log.Text);

        host.Change(("Broker:LeafNodes:Users:0:Password", "other"));
        await Wait.UntilAsync(() => links.Joined.Count == 0, () => host.Log.Text);
        Assert.DoesNotContain("secret", host.Log.Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Broker:LeafNodes:Listen", "hub.example.org:7422")]
    [InlineData("Broker:LeafNodes:Advertise", "hub:7422")]
    [InlineData("Broker:LeafNodes:Remotes:0:Urls:0", "http://secret@hub")]
    [InlineData("Broker:LeafNodes:Remotes:0:NoRandomize", "true")]
    [InlineData("Broker:LeafNodes:Remotes:0:Account", "nobody")]
    [InlineData("Broker:LeafNodes:Remotes:0:DenyImports", "a..b")]
    public async Task A_wrong_remote_fails_the_start_with_an_error_that_names_the_section(string key, string value)
    {
        (string, string)[] settings = key.EndsWith("NoRandomize", StringComparison.Ordinal) || key.Contains("Urls", StringComparison.Ordinal) || !key.Contains("Remotes", StringComparison.Ordinal)
            ? [Free, (key, value)]
            : [Free, (key, value), ("Broker:LeafNodes:Remotes:0:Urls:0", "nats-leaf://127.0.0.1:1")];
        await using var host = TestHost.Build(static s => s.AddBroker(), settings);

        OptionsValidationException refused = Assert.Throws<OptionsValidationException>(() => host.Services.GetRequiredService<LeafNodes>());

        Assert.StartsWith("Broker:LeafNodes: ", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("Parameter", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Broker:LeafNodes:Remotes:0:Urls:0", "http://secret@hub", "nats-leaf://127.0.0.1:1", "The scheme")]
    [InlineData("Broker:LeafNodes:Remotes:0:Account", "nobody", "$SYS", "no account 'nobody'")]
    [InlineData("Broker:LeafNodes:Remotes:0:DenyExports:0", "a..b", "a.b", "'a..b'")]
    public async Task A_wrong_remote_at_a_reload_leaves_all_settings_as_they_are(string key, string value, string right, string problem)
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker(), Free, ("Broker:MaxConnections", "7"), ("Broker:LeafNodes:Remotes:0:Urls:0", "nats-leaf://127.0.0.1:1"));
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();

        host.Change(("Broker:MaxConnections", "8"), (key, value));

        await Wait.UntilAsync(() => host.Log.Text.Contains(problem, StringComparison.Ordinal), () => host.Log.Text);
        Assert.Equal(7, server.MaxConnections);
        Assert.DoesNotContain("secret", host.Log.Text, StringComparison.Ordinal);
        Assert.Equal("127.0.0.1:1", host.Services.GetRequiredService<LeafNodes>().Remotes.Single().Address);
        host.Change(("Broker:MaxConnections", "9"), (key, right));
        await Wait.UntilAsync(() => server.MaxConnections == 9, () => host.Log.Text);
    }

    [Fact]
    public async Task A_callback_sets_what_the_settings_cannot()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker(static b => b.ConfigureLeafNodes(static (_, options) => options with
            {
                Remotes = [new LeafRemoteOptions { Urls = ["nats-leaf://127.0.0.1:1"], MaxInterest = 10 }],
            })),
            Free);

        Assert.Equal("127.0.0.1:1", host.Services.GetRequiredService<LeafNodes>().Remotes.Single().Address);
    }

    private static async Task<IReadOnlyList<string>> InterestAsync(TestHost host)
        => await host.Services.GetRequiredService<BrokerServer>().Inspect().LeafNodes.Single().ListSubscriptionsAsync!();

    private static async Task<HealthReportEntry> HealthAsync(TestHost host)
        => (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancellation)).Entries["broker-leaf"];
}
