using System.Collections.Concurrent;
using System.Text;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Client;
using Broker.Server;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>The internal subjects of a pipeline whose bridge runs in the process of the server.</summary>
public sealed class ReservedSubjectsTests
{
    private const string S = Pipeline.Subject;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Clients_can_neither_publish_nor_subscribe_to_the_internal_subjects()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        await pipeline.BridgeAsync();
        (BrokerConnection client, ConcurrentQueue<string> errors) = await ClientAsync(pipeline.Url);
        await using (client)
        {
            foreach (string end in (string[])["_egress", "_ingress", "_out.e1", "_in.i1.1"])
            {
                client.PublishWithStatus(Encoding.ASCII.GetBytes($"{S}.{end}"), "x"u8);
                client.Subscribe($"{S}.{end}", static (in MessageView _) => { });
            }

            client.Subscribe($"{S}._out.>", static (in MessageView _) => { }, "workers");
            await client.FlushAsync(Ct);
            await Wait.UntilAsync(() => errors.Count == 9, () => string.Join('\n', errors));
            Assert.All(errors, error => Assert.StartsWith("Permissions Violation for ", error, StringComparison.Ordinal));
            Assert.Equal(4, errors.Count(error => error.StartsWith($"Permissions Violation for Publish to \"{S}._", StringComparison.Ordinal)));
        }
    }

    [Fact]
    public async Task A_client_that_subscribes_to_everything_receives_no_internal_message()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        (BrokerConnection client, ConcurrentQueue<string> errors) = await ClientAsync(pipeline.Url);
        await using (client)
        {
            var seen = new ConcurrentQueue<string>();
            foreach (string filter in (string[])[">", $"{S}.>", $"{S}.*", "work.*._out.*"])
            {
                client.Subscribe(filter, (in MessageView message) => seen.Enqueue(Encoding.ASCII.GetString(message.Subject)));
            }

            await client.FlushAsync(Ct);
            ZeroMqBridge bridge = await pipeline.BridgeAsync();
            await PassAsync(bridge, bridge, 500);
            client.PublishWithStatus("work.other"u8, "last"u8);
            await Wait.UntilAsync(() => seen.Contains("work.other"), "the last message");
            Assert.DoesNotContain(seen, subject => subject.Contains("._", StringComparison.Ordinal));
            Assert.Empty(errors);
        }
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task A_bridge_of_another_process_needs_permissions_that_name_the_subjects_or_a_pipeline_without_reservation(bool named, bool open)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        pipeline.Reserves = !open;
        string[] subjects = [$"{S}._egress", $"{S}._ingress", $"{S}._in.>", $"{S}._out.>"];
        await pipeline.Server!.ReloadAsync(options =>
        {
            var allowed = SubjectPermissions.Only(subjects);
            options.Users = [new User("bridge", "p", new Permissions { Publish = allowed, Subscribe = allowed }), new User("free", "p")];
            options.NoAuthUser = "free";
        });
        ZeroMqBridge here = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        ZeroMqBridge there = await pipeline.BridgeAsync(
            options => options with { Pullers = [] }, named ? pipeline.Url.Replace("//", "//bridge:p@", StringComparison.Ordinal) : pipeline.Url);
        await PassAsync(there, here, 300);
        Assert.DoesNotContain(pipeline.Log.Warnings, text => text.Contains("Violation", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_bridge_of_another_process_without_such_permissions_is_shut_out_and_its_log_says_why()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge here = await pipeline.BridgeAsync();
        ZeroMqBridge there = await pipeline.BridgeAsync(options => options with { Pullers = [] }, pipeline.Url);
        await Wait.UntilAsync(
            () => pipeline.Log.Warnings.Any(text => text.Contains("Permissions Violation for Publish", StringComparison.Ordinal))
                && pipeline.Log.Warnings.Any(text => text.Contains("Permissions Violation for Subscription", StringComparison.Ordinal)),
            "the violations");
        await PassAsync(here, here, 100);
        Assert.Equal(0, there.Route().Partners);
    }

    [Fact]
    public async Task Other_routes_of_the_bridge_do_not_reach_the_subjects_and_the_end_of_the_route_frees_them()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        var raw = new RawRouteOptions
        {
            Socket = RawSocket.Dealer,
            Endpoints = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
            ToSubject = "a",
            FromSubject = $"{S}._out.>",
        };
        await bridge.AddRouteAsync(raw, Ct);
        await Wait.UntilAsync(
            () => pipeline.Log.Warnings.Any(text => text.Contains("Permissions Violation for Subscription", StringComparison.Ordinal)), "the violation");
        await PassAsync(bridge, bridge, 100);
        await bridge.RemoveRouteAsync("pushpull");
        (BrokerConnection client, ConcurrentQueue<string> errors) = await ClientAsync(pipeline.Url);
        await using (client)
        {
            client.PublishWithStatus(Encoding.ASCII.GetBytes($"{S}._ingress"), "x"u8);
            await client.FlushAsync(Ct);
            Assert.Empty(errors);
            await bridge.AddRouteAsync(new PushPullRouteOptions { Subject = S, Pushers = [], Pullers = raw.Endpoints }, Ct);
            client.PublishWithStatus(Encoding.ASCII.GetBytes($"{S}._ingress"), "x"u8);
            await client.FlushAsync(Ct);
            Assert.Single(errors);
        }
    }

    private static async Task PassAsync(ZeroMqBridge from, ZeroMqBridge to, int messages)
    {
        await using var puller = new PyPuller(to.PullerEndpoint());
        await using var pusher = new PyPusher(from.PusherEndpoint(), "p");
        long before = from.Route().Acknowledged;
        await pusher.SendAsync(messages);
        await Wait.UntilAsync(() => from.Route().Acknowledged == before + messages, () => $"{from.Route()}");
        await Wait.UntilAsync(async () => await puller.CountAsync() == messages, () => $"{to.Route()}");
        Assert.Equal(messages, await puller.DistinctAsync());
    }

    private static async Task<(BrokerConnection Client, ConcurrentQueue<string> Errors)> ClientAsync(string url)
    {
        var errors = new ConcurrentQueue<string>();
        return (await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], OnServerError = (_, text) => errors.Enqueue(text) }, Ct), errors);
    }
}
