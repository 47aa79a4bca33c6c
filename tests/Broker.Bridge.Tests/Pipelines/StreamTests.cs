using System.Text;
using Broker.Bridge.JetStream;
using Broker.Bridge.Pipelines;
using Broker.Bridge.Routes;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>PUSH and PULL of pyzmq through a work queue of JetStream on Debian's nats-server.</summary>
public sealed class StreamTests : IDisposable
{
    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("jetstream-");

    public void Dispose() => _store.Delete(recursive: true);

    [Fact]
    public async Task Every_message_comes_once_and_in_order()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", frames: 2);
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await pusher.SendAsync(5000);
        await Wait.UntilAsync(async () => await puller.CountAsync() == 5000, () => $"{bridge.Route()}");
        Assert.Equal(0, await puller.DisorderAsync());
        await Wait.UntilAsync(() => bridge.Route().InFlight == 0, () => $"{bridge.Route()}");
        Assert.Equal(5000, bridge.Route().Acknowledged);
        Assert.Equal(5000, bridge.Route().HandedOver);
        Assert.Equal(0, bridge.Route().DuplicatesDropped + bridge.Route().PossibleDuplicates);
    }

    [Fact]
    public async Task Nothing_that_the_stream_acknowledged_is_lost_when_bridge_and_server_restart()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge ingress = await pipeline.BridgeAsync(options => WithStream(options) with { Pullers = [] });
        ZeroMqBridge egress = await pipeline.BridgeAsync(options => WithStream(options) with { Pushers = [] });
        await using var pusher = new PyPusher(ingress.PusherEndpoint(), "p", size: 100);

        // It binds, so that each bridge finds it; what a bridge has handed over to its connection is sent before that ends.
        await using var puller = new PyPuller(endpoint: null);
        await puller.TakeAsync(takes: false);
        string pulls = await puller.EndpointAsync();
        const int Messages = 20_000;
        await pusher.SendAsync(Messages);
        await puller.TakeAsync();
        ZeroMqBridge next = await EgressAsync();
        for (int restart = 0; restart < 3; restart++)
        {
            long before = next.Route().HandedOver;
            await Wait.UntilAsync(
                () => next.Route().HandedOver > before + 500 || ingress.Route().Acknowledged == Messages, () => $"{ingress.Route()} {next.Route()}");
            if (restart % 2 == 0)
            {
                await pipeline.RestartServerAsync();
            }
            else
            {
                await pipeline.EndAsync(next, linger: Wait.Limit);
                next = await EgressAsync();
            }
        }

        await Wait.UntilAsync(async () => await puller.DistinctAsync() == Messages, () => $"{ingress.Route()} {next.Route()}");
        await Wait.UntilAsync(() => ingress.Route().InFlight == 0, () => $"{ingress.Route()}");
        Assert.Equal(Messages, ingress.Route().Acknowledged);
        await pipeline.EndAsync(egress);

        Task<ZeroMqBridge> EgressAsync() => pipeline.BridgeAsync(options => WithStream(options) with
        {
            Pushers = [],
            Pullers = [new BridgeEndpoint(Bind: false, pulls)],
        });
    }

    [Fact]
    public async Task A_stream_that_is_full_holds_pushers_up_and_nothing_is_lost()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with
        {
            Stream = new StreamQueueOptions { Stream = "WORK", MaxBytes = 1024 * 1024 },
        });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        const int Messages = 10_000;
        await pusher.SendAsync(Messages);
        await Wait.UntilAsync(() => bridge.Route() is { Acknowledged: > 500, InFlight: > 0 }, () => $"{bridge.Route()}");
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await Wait.UntilAsync(async () => await puller.DistinctAsync() == Messages, () => $"{bridge.Route()}");
        Assert.Equal(Messages, await puller.CountAsync());
    }

    [Fact]
    public async Task What_waits_for_a_PULL_that_dies_is_given_back_to_the_stream()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        ZeroMqBridge other = await pipeline.BridgeAsync(options => WithStream(options) with { Pushers = [] });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        const int Messages = 15_000;
        await using (new PyPuller(bridge.PullerEndpoint(), takes: false))
        {
            await pusher.SendAsync(Messages);
            await Wait.UntilAsync(() => bridge.Route() is { Acknowledged: Messages, Waiting: > 0 }, () => $"{bridge.Route()}");
        }

        await using var puller = new PyPuller(other.PullerEndpoint());
        await Wait.UntilAsync(
            async () => await puller.DistinctAsync() + bridge.Route().HandedOver == Messages, () => $"{bridge.Route()} {other.Route()}");
        Assert.Equal(await puller.DistinctAsync(), await puller.CountAsync());
    }

    [Fact]
    public async Task Without_JetStream_pushers_wait_and_a_line_says_why()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: true);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await pusher.SendAsync(10);
        await Wait.UntilAsync(
            () => pipeline.Log.Warnings.Any(line => line.Contains("The stream WORK cannot be used", StringComparison.Ordinal)),
            () => string.Join('\n', pipeline.Log.Warnings));
        Assert.Equal(0, bridge.Route().Accepted);
    }

    [Theory]
    [InlineData("$JS.ACK.S.C.1.22.33.1700000000.44", 1, 22)]
    [InlineData("$JS.ACK.dom.hash.S.C.3.22.33.1700000000.44.rnd", 3, 22)]
    [InlineData("$JS.ACK.S.C.2.22.33.1700000000.44@work.orders", 2, 22)]
    public void The_reply_subject_says_how_often_which_and_of_when(string subject, long delivered, long sequence)
    {
        Assert.True(DeliverySubject.TryParse(Encoding.ASCII.GetBytes(subject), out DeliverySubject delivery));
        Assert.Equal(new DeliverySubject(delivered, sequence, 1_700_000_000), delivery);
    }

    [Theory]
    [InlineData("")]
    [InlineData("$JS.ACK.")]
    [InlineData("$JS.ACK.S.C.1.22")]
    [InlineData("$JS.ACK.S.C.x.22.33.44.55")]
    [InlineData("$JS.ACK.S.C.1.22.33.x.55")]
    [InlineData("_INBOX.S.C.1.22.33.44.55.66")]
    public void Another_subject_is_none(string subject) => Assert.False(DeliverySubject.TryParse(Encoding.ASCII.GetBytes(subject), out _));

    private static PushPullRouteOptions WithStream(PushPullRouteOptions options)
        => options with { Stream = new StreamQueueOptions { Stream = "WORK", AckWait = TimeSpan.FromSeconds(5) } };

    private Task<Pipeline> StartAsync() => Pipeline.StartAsync(foreign: true, "-js", "-sd", _store.FullName);
}
