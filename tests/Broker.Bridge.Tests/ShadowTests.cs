using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests;

/// <summary>A shadow route receives copies and does not change the traffic that it copies.</summary>
public sealed class ShadowTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_shadow_worker_receives_each_request_and_its_replies_are_dropped(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(
            loops, RequestSite.Asking, RequestSite.Answering, RequestSite.Answering with { Name = "shadow", Shadow = true });
        await using var host = ForeignHost.Take();
        await using var others = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        ForeignSocket rep = await others.SocketAsync("REP");
        ForeignSocket shadow = await others.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("worker"));
        await shadow.ConnectAsync(site.Endpoint("shadow"));
        await req.ConnectAsync(site.Endpoint("request"));
        await Wait.UntilAsync(() => site.Workers.IsSubscribed && Shadow().IsSubscribed, "both workers");
        for (int i = 0; i < 20; i++)
        {
            await req.SendTextAsync($"{i}");

            // The worker of the shadow replies first. A requester would receive this reply if it were published.
            Assert.Equal($"{i}", await shadow.ServeAsync("wrong"));
            Assert.Equal($"{i}", await rep.ServeAsync("right"));
            Assert.Equal($"right|{i}", await req.ReceiveTextAsync());
        }

        await Wait.UntilAsync(() => Shadow().Answered == 20, "the answers to nobody");
        Assert.Equal((20, 0, 0), (Shadow().FromSubjects, Shadow().ToSubjects, Shadow().Dropped));
        Assert.Equal((20, 0), (site.Requests.Answered, site.Requests.Late));

        WorkerRouteSnapshot Shadow() => (WorkerRouteSnapshot)site.Bridge.Snapshot()["shadow"]!;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_shadow_PULL_receives_copies_and_does_not_block_others(bool foreign)
    {
        const int Messages = 20_000;
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        ZeroMqBridge shadow = await pipeline.BridgeAsync(options => options with { Pushers = [], Shadow = true, HighWaterMark = 2 * Messages });
        ZeroMqBridge full = await pipeline.BridgeAsync(options => options with { Pushers = [], Shadow = true });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await using var copies = new PyPuller(shadow.PullerEndpoint());
        await Wait.UntilAsync(() => shadow.Route().Pullers == 1 && bridge.Route().Pullers == 1, "the pullers");
        await pusher.SendAsync(Messages);

        await Wait.UntilAsync(async () => await puller.CountAsync() == Messages, () => $"{bridge.Route()}");
        await Wait.UntilAsync(async () => await copies.CountAsync() == Messages, () => $"{shadow.Route()}");
        await Wait.UntilAsync(() => full.Route().Dropped == Messages, () => $"{full.Route()}");
        Assert.Equal((0, 0), (await copies.DisorderAsync(), shadow.Route().Dropped));
        Assert.Equal((Messages, 0, 0), (bridge.Route().Delivered, bridge.Route().Resent, bridge.Route().Moved));
    }

    [Fact]
    public async Task A_number_without_its_message_is_no_copy()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        pipeline.Reserves = false;
        ZeroMqBridge shadow = await pipeline.BridgeAsync(options => options with { Pushers = [], Shadow = true });
        await using var copies = new PyPuller(shadow.PullerEndpoint());
        await Wait.UntilAsync(() => shadow.Route().Pullers == 1, "the puller");
        BrokerConnection client = await pipeline.ClientAsync();
        client.Publish($"{Pipeline.Subject}._out.e", default, headers: "NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: 1\r\nZmq-Frames: 0\r\n\r\n"u8);
        client.Publish($"{Pipeline.Subject}._out.e", "p-1"u8, headers: "NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: 2\r\n\r\n"u8);

        await Wait.UntilAsync(async () => await copies.CountAsync() == 1, () => $"{shadow.Route()}");
        Assert.Equal((2, 1, 1, 0), (shadow.Route().Received, shadow.Route().Delivered, shadow.Route().Refused, shadow.Route().Dropped));
    }
}
