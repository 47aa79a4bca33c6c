using System.Text;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests;

/// <summary>A paused route takes no new messages, and nothing is lost.</summary>
public sealed class PauseTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_paused_pipeline_blocks_its_PUSH_and_delivers_every_message_after_it_was_resumed(bool foreign)
    {
        const int Messages = 30_000;
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await Wait.UntilAsync(() => bridge.Route() is { Pushers: 1, Pullers: 1 }, "both programs");
        await pusher.SendAsync(Messages);
        await Wait.UntilAsync(() => bridge.Route().Delivered > 0, () => $"{bridge.Route()}");
        Assert.True(await bridge.PauseRouteAsync("pushpull"));
        long accepted = bridge.Route().Accepted;
        Assert.True(bridge.Route().IsPaused);

        // The PUSH sends what its queue and the kernel hold.
        await BlockedAsync(pusher);
        Assert.True(await pusher.SentAsync() < Messages);
        Assert.Equal(accepted, bridge.Route().Accepted);

        Assert.True(await bridge.ResumeRouteAsync("pushpull"));
        await Wait.UntilAsync(async () => await puller.CountAsync() == Messages, () => $"{bridge.Route()}");
        Assert.Equal(Messages, await puller.DistinctAsync());
        Assert.Equal((false, 0), (bridge.Route().IsPaused, bridge.Route().Dropped));
    }

    [Fact]
    public async Task Messages_of_a_paused_egress_go_to_another_one()
    {
        const int Messages = 40_000;
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge one = await pipeline.BridgeAsync();
        ZeroMqBridge two = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var pusher = new PyPusher(one.PusherEndpoint(), "p", size: 1000);
        await using var first = new PyPuller(one.PullerEndpoint());
        await using var stopped = new PyPuller(two.PullerEndpoint(), takes: false);
        await Wait.UntilAsync(() => one.Route().Partners == 3, () => $"{one.Route()}");
        await pusher.SendAsync(Messages);
        await Wait.UntilAsync(() => two.Route().Waiting == 256, () => $"{two.Route()}");

        // The PULL of the paused route keeps what its socket has got.
        await two.PauseRouteAsync("pushpull");
        await Wait.UntilAsync(async () => await first.CountAsync() + two.Route().Delivered == Messages, () => $"{one.Route()} {two.Route()}");
        Assert.Equal((0, 0), (two.Route().Waiting, one.Route().InFlight));
        await stopped.TakeAsync();
        await Wait.UntilAsync(async () => await first.CountAsync() + await stopped.CountAsync() == Messages, () => $"{one.Route()} {two.Route()}");
    }

    [Fact]
    public async Task A_stop_delivers_the_messages_that_a_paused_route_has_taken()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with { StopTimeout = Wait.Limit });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        await using var puller = new PyPuller(bridge.PullerEndpoint(), takes: false);
        await pusher.SendAsync(40_000);
        await Wait.UntilAsync(() => bridge.Route().Waiting == 256, () => $"{bridge.Route()}");
        await bridge.PauseRouteAsync("pushpull");
        Assert.True(bridge.Route().InFlight > 0);
        long accepted = bridge.Route().Accepted;
        await puller.TakeAsync();
        await bridge.StopIngressAsync(Ended);
        await Wait.UntilAsync(async () => await puller.CountAsync() == accepted, () => $"{bridge.Route()}");
        Assert.Equal((accepted, 0), (bridge.Route().Accepted, bridge.Route().InFlight));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_paused_PUB_SUB_route_takes_nothing_from_PUBs_and_still_serves_SUBs(int loops)
    {
        await using PubSub.Support.Site site = await PubSub.Support.Site.StartAsync(loops);
        await using Publisher publisher = await site.PublisherAsync();
        await using Subscriber subscriber = await site.SubscriberAsync("a");
        await site.Bridge.PauseRouteAsync("pubsub");
        PubSubRouteSnapshot before = site.Route.Snapshot();
        for (int i = 0; i < 100; i++)
        {
            await publisher.SendAsync(Shapes.Bytes("a"), Shapes.Number(i).Select(static c => (byte)c).ToArray());
        }

        // A message of a subject still arrives. The messages of the PUB wait.
        await site.ReadyAsync(subscriber, "a");
        Assert.Equal(before.FromZeroMq, site.Route.Snapshot().FromZeroMq);
        await site.Bridge.ResumeRouteAsync("pubsub");
        await Wait.UntilAsync(() => site.Route.Snapshot().ToSubjects == before.ToSubjects + 100, () => $"{site.Route.Snapshot()}");
        Assert.Equal((0, 0), (site.Route.Snapshot().Dropped, site.Route.Snapshot().Refused));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_paused_request_route_keeps_its_clients_waiting_and_a_paused_worker_route_leaves_the_group(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking, RequestSite.Answering);
        await using var host = ForeignHost.Take();
        await using var others = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        ForeignSocket rep = await others.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("worker"));
        await req.ConnectAsync(site.Endpoint("request"));
        await Wait.UntilAsync(() => site.Workers.IsSubscribed && site.Requests.Peers == 1, "both programs");
        await site.Bridge.PauseRouteAsync("request");
        await req.SendTextAsync("1");
        BrokerConnection client = await site.ClientAsync();
        Task<Message> asked = RequestSite.AskAsync(client, "2");
        Assert.Equal("2", await rep.ServeAsync("done"));
        await asked;
        Assert.Equal(0, site.Requests.FromZeroMq);
        await site.Bridge.ResumeRouteAsync("request");
        Assert.Equal("1", await rep.ServeAsync("done"));
        Assert.Equal("done|1", await req.ReceiveTextAsync());

        await site.Bridge.PauseRouteAsync("worker");
        await client.FlushAsync(Ended);
        Assert.False(site.Workers.IsSubscribed);
        await Wait.UntilAsync(async () => !await AnswersAsync(client), "nobody responds");
        await site.Bridge.ResumeRouteAsync("worker");
        asked = RequestSite.AskAsync(client, "3");
        Assert.Equal("3", await rep.ServeAsync("done"));
        await asked;
    }

    [Fact]
    public async Task A_paused_raw_route_takes_nothing_and_delivers_what_comes_from_subjects()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, new RawRouteOptions
        {
            Name = "pair",
            Socket = RawSocket.Pair,
            ToSubject = "raw.to",
            FromSubject = "raw.from",
            Endpoints = [RequestSite.AnyPort],
        });
        await using var host = ForeignHost.Take();
        ForeignSocket pair = await host.SocketAsync("PAIR");
        await pair.ConnectAsync(site.Endpoint("pair"));
        await Wait.UntilAsync(() => Pair().Peers == 1, "the program");
        await site.Bridge.PauseRouteAsync("pair");
        await pair.SendTextAsync("waits");
        BrokerConnection client = await site.ClientAsync();
        client.Publish("raw.from", "comes"u8);
        Assert.Equal("comes", await pair.ReceiveTextAsync());
        Assert.Equal((0, true), (Pair().FromZeroMq, Pair().IsPaused));
        await site.Bridge.ResumeRouteAsync("pair");
        await Wait.UntilAsync(() => Pair().ToSubjects == 1, () => $"{Pair()}");

        RouteSnapshot Pair() => site.Bridge.Snapshot()["pair"]!;
    }

    [Fact]
    public async Task A_route_that_does_not_exist_or_cannot_be_a_shadow_is_refused()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking, RequestSite.Answering);
        Assert.False(await site.Bridge.PauseRouteAsync("other"));
        Assert.False(await site.Bridge.ResumeRouteAsync("other"));
        Assert.False(await site.Bridge.SetShadowAsync("other", true));
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(() => site.Bridge.SetShadowAsync("request", true));
        Assert.Contains("'request' cannot be a shadow", refused.Message, StringComparison.Ordinal);
        Assert.Null(site.Requests.IsShadow);
        Assert.False(site.Workers.IsShadow);
        Assert.Equal([RequestSite.Subject + " [workers]"], site.Workers.Subjects);
    }

    [Fact]
    public async Task A_PULL_becomes_a_shadow_and_takes_part_again_while_it_stays_connected()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge one = await pipeline.BridgeAsync();
        ZeroMqBridge two = await pipeline.BridgeAsync(options => options with { Pushers = [], Shadow = true, HighWaterMark = 100_000 });
        await using var pusher = new PyPusher(one.PusherEndpoint(), "p");
        await using var first = new PyPuller(one.PullerEndpoint());
        await using var second = new PyPuller(two.PullerEndpoint());
        await Wait.UntilAsync(() => one.Route().Pullers == 1 && two.Route() is { Pullers: 1, IsShadow: true }, "the programs");
        await pusher.SendAsync(1_000);
        await Wait.UntilAsync(async () => await first.CountAsync() == 1_000 && await second.CountAsync() == 1_000, () => $"{one.Route()} {two.Route()}");

        // Cut over: the second PULL takes part, and the first one gets nothing new.
        await two.SetShadowAsync("pushpull", false);
        await Wait.UntilAsync(() => one.Route().Partners == 3, () => $"{one.Route()}");
        Assert.Null(one.Route().IsShadow);
        await pusher.SendAsync(1_000);
        await Wait.UntilAsync(async () => await first.CountAsync() + await second.CountAsync() == 3_000, () => $"{one.Route()} {two.Route()}");
        Assert.True(await first.CountAsync() < 2_000 && await second.CountAsync() < 2_000);
        await two.SetShadowAsync("pushpull", true);
        long copies = await second.CountAsync();
        await pusher.SendAsync(1_000);
        await Wait.UntilAsync(async () => await second.CountAsync() == copies + 1_000, () => $"{one.Route()} {two.Route()}");
        Assert.Equal((0, 0), (two.Route().Dropped, one.Route().InFlight));
    }

    [Fact]
    public async Task A_shadow_worker_takes_over_and_no_request_stays_without_its_reply()
    {
        await using RequestSite site = await RequestSite.StartAsync(
            1, RequestSite.Answering, RequestSite.Answering with { Name = "new", Shadow = true });
        await using var host = ForeignHost.Take();
        await using var others = ForeignHost.Take();
        ForeignSocket old = await host.SocketAsync("REP");
        ForeignSocket added = await others.SocketAsync("REP");
        await old.ConnectAsync(site.Endpoint("worker"));
        await added.ConnectAsync(site.Endpoint("new"));
        await Wait.UntilAsync(() => site.Workers.IsSubscribed && New().IsSubscribed, "both workers");
        BrokerConnection client = await site.ClientAsync();
        Task<Message> asked = RequestSite.AskAsync(client, "1");
        Assert.Equal("1", await added.ServeAsync("wrong"));
        Assert.Equal("1", await old.ServeAsync("right"));
        Assert.EndsWith("1", Encoding.UTF8.GetString((await asked).Body.Span), StringComparison.Ordinal);
        await site.Bridge.SetShadowAsync("new", false);
        await site.Bridge.PauseRouteAsync("worker");
        Assert.Equal((true, false), (site.Workers.IsPaused, New().IsShadow));
        asked = RequestSite.AskAsync(client, "2");
        Assert.Equal("2", await added.ServeAsync("new"));
        Assert.EndsWith("2", Encoding.UTF8.GetString((await asked).Body.Span), StringComparison.Ordinal);

        WorkerRouteSnapshot New() => (WorkerRouteSnapshot)site.Bridge.Snapshot()["new"]!;
    }

    private static async Task<bool> AnswersAsync(BrokerConnection client)
    {
        try
        {
            await client.RequestAsync(RequestSite.Subject, default, Wait.Limit, cancellationToken: Ended);
            return true;
        }
        catch (NoRespondersException)
        {
            return false;
        }
    }

    private static async Task BlockedAsync(PyPusher pusher)
    {
        long last = -1;
        int same = 0;
        await Wait.UntilAsync(
            async () =>
            {
                long now = await pusher.SentAsync();
                same = now == last ? same + 1 : 0;
                last = now;
                return same == 50;
            },
            () => $"{last} sent");
    }
}
