using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>PUSH and PULL programs of pyzmq across bridges, on this broker and on Debian's nats-server.</summary>
public sealed class PipelineTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Every_message_comes_once_and_in_order(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await pusher.SendAsync(20_000);
        await Wait.UntilAsync(async () => await puller.CountAsync() == 20_000, "all messages");
        Assert.Equal(20_000, await puller.DistinctAsync());
        Assert.Equal(0, await puller.DisorderAsync());
        await SettledAsync(bridge);
        PushPullRouteSnapshot route = bridge.Route();
        Assert.Equal(20_000, route.Accepted);
        Assert.Equal(20_000, route.Delivered);
        Assert.Equal(20_000, route.Acknowledged);
        Assert.Equal(0, route.Resent + route.DuplicatesDropped + route.PossibleDuplicates);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Both_directions_of_binding_work_and_frames_are_kept(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        await using var pusher = new PyPusher(endpoint: null, "p", frames: 3);
        await using var puller = new PyPuller(endpoint: null);
        string pushes = await pusher.EndpointAsync();
        string pulls = await puller.EndpointAsync();
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with
        {
            Pushers = [new BridgeEndpoint(Bind: false, pushes)],
            Pullers = [new BridgeEndpoint(Bind: false, pulls)],
        });
        await pusher.SendAsync(1000);
        await Wait.UntilAsync(async () => await puller.CountAsync() == 1000, () => $"{bridge.Route()}");
        Assert.Equal(0, await puller.DisorderAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task When_PULLs_take_nothing_the_pusher_blocks_and_nothing_is_lost(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        await using var puller = new PyPuller(bridge.PullerEndpoint(), takes: false);
        const int Messages = 30_000;
        await pusher.SendAsync(Messages);
        Assert.InRange(await BlockedAsync(pusher, bridge), 256, Messages - 1);
        await puller.TakeAsync();
        await Wait.UntilAsync(async () => await puller.CountAsync() == Messages, () => $"{bridge.Route()}");
        Assert.Equal(Messages, await puller.DistinctAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_several_PULLs_that_are_all_full_the_one_that_takes_again_gets_the_next(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge one = await pipeline.BridgeAsync();
        ZeroMqBridge two = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var pusher = new PyPusher(one.PusherEndpoint(), "p", size: 1000);
        await using var first = new PyPuller(one.PullerEndpoint(), takes: false);
        await using var second = new PyPuller(one.PullerEndpoint(), takes: false);
        await using var elsewhere = new PyPuller(two.PullerEndpoint(), takes: false);
        const int Messages = 40_000;
        await pusher.SendAsync(Messages);
        await BlockedAsync(pusher, one);
        await BlockedAsync(pusher, two);

        // Only this PULL takes messages now, so all further messages go to it.
        await elsewhere.TakeAsync();
        await Wait.UntilAsync(async () => await pusher.SentAsync() == Messages, () => $"{one.Route()} {two.Route()}");
        Assert.Equal(0, await first.CountAsync() + await second.CountAsync());
        await first.TakeAsync();
        await second.TakeAsync();
        await Wait.UntilAsync(
            async () => await first.CountAsync() + await second.CountAsync() + await elsewhere.CountAsync() == Messages,
            () => $"{one.Route()} {two.Route()}");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pusher_waits_without_a_PULL(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        await pusher.SendAsync(30_000);
        Assert.InRange(await BlockedAsync(pusher, bridge, waiting: 0), 1, 29_999);
        Assert.Equal(0, bridge.Route().Accepted);
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await Wait.UntilAsync(async () => await puller.CountAsync() == 30_000, () => $"{bridge.Route()}");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Several_bridges_share_the_work_of_several_pushers(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge[] bridges = [await pipeline.BridgeAsync(), await pipeline.BridgeAsync(), await pipeline.BridgeAsync()];
        List<PyPusher> pushers = [];
        List<PyPuller> pullers = [];
        try
        {
            foreach (ZeroMqBridge bridge in bridges)
            {
                pullers.Add(new PyPuller(bridge.PullerEndpoint()));
            }

            await Wait.UntilAsync(() => bridges.All(b => b.Route().Pullers == 1), "the pullers");
            foreach (ZeroMqBridge bridge in bridges)
            {
                pushers.Add(new PyPusher(bridge.PusherEndpoint(), $"p{pushers.Count}"));
            }

            // An egress receives messages when an ingress knows it and it has capacity. So the test waits until all are
            // known and empty before it counts.
            int pushed = 0;
            await Wait.UntilAsync(
                async () =>
                {
                    pushed += await PushAsync(10);
                    return Array.TrueForAll(await CountsAsync(), count => count > 0);
                },
                Describe);
            await Wait.UntilAsync(async () => await SumAsync(pullers) == pushed && bridges.All(b => b.Route().InFlight == 0), Describe);
            long[] before = await CountsAsync();
            pushed += await PushAsync(5000);
            await Wait.UntilAsync(async () => await SumAsync(pullers) == pushed, Describe);
            Assert.All((await CountsAsync()).Zip(before), counts => Assert.True(counts.First > counts.Second, Describe()));
            Assert.Equal(pushed, bridges.Sum(b => b.Route().Accepted));
            Assert.Equal(pushed, bridges.Sum(b => b.Route().Delivered));
            foreach (PyPuller puller in pullers)
            {
                Assert.Equal(await puller.CountAsync(), await puller.DistinctAsync());
            }
        }
        finally
        {
            foreach (PyPeer peer in pushers.Concat<PyPeer>(pullers))
            {
                await peer.DisposeAsync();
            }
        }

        async Task<int> PushAsync(int each)
        {
            foreach (PyPusher pusher in pushers)
            {
                await pusher.SendAsync(each);
            }

            return pushers.Count * each;
        }

        Task<long[]> CountsAsync() => Task.WhenAll(pullers.Select(puller => puller.CountAsync()));
        string Describe() => string.Join<object>(' ', bridges.Select(b => b.Route()));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task While_no_server_is_there_pushers_wait_and_all_comes_once_when_it_is_back(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign, apart: true);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        ZeroMqBridge other = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 200);
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await using var elsewhere = new PyPuller(other.PullerEndpoint());
        const int Messages = 60_000;
        await pusher.SendAsync(Messages);
        for (int restart = 0; restart < 3; restart++)
        {
            long before = bridge.Route().Acknowledged;
            await Wait.UntilAsync(() => bridge.Route().Acknowledged is var now && (now > before + 1000 || now == Messages), () => $"{bridge.Route()}");
            await pipeline.RestartServerAsync();
        }

        await Wait.UntilAsync(
            async () => await puller.CountAsync() + await elsewhere.CountAsync() >= Messages, () => $"{bridge.Route()} {other.Route()}");
        await SettledAsync(bridge);
        Assert.Equal(Messages, await puller.DistinctAsync() + await elsewhere.DistinctAsync());
        Assert.Equal(Messages, await puller.CountAsync() + await elsewhere.CountAsync());
        Assert.Equal(Messages, bridge.Route().Accepted);
        Assert.Equal(Messages, bridge.Route().Delivered + other.Route().Delivered);
        Assert.Equal(0, bridge.Route().PossibleDuplicates + other.Route().PossibleDuplicates);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_of_a_closed_egress_go_to_another_one(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with { Pullers = [] });
        ZeroMqBridge ending = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        await using var full = new PyPuller(ending.PullerEndpoint(), takes: false);
        await pusher.SendAsync(20_000);
        await BlockedAsync(pusher, ending);
        ZeroMqBridge staying = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var puller = new PyPuller(staying.PullerEndpoint());
        await pipeline.EndAsync(ending);
        long lost = ending.Route().Delivered;
        await Wait.UntilAsync(async () => await puller.CountAsync() >= 20_000 - lost, () => $"{lost} {bridge.Route()} {staying.Route()}");
        await SettledAsync(bridge);
        Assert.Equal(20_000 - lost, await puller.CountAsync());
        Assert.Equal(20_000 - lost, await puller.DistinctAsync());
        Assert.Equal(0, bridge.Route().PossiblyMovedTwice);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_queued_for_a_lost_PULL_go_to_another_bridge(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        ZeroMqBridge other = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        var full = new PyPuller(bridge.PullerEndpoint(), takes: false);
        await using (full)
        {
            await pusher.SendAsync(20_000);
            await BlockedAsync(pusher, bridge);
        }

        await using var puller = new PyPuller(other.PullerEndpoint());
        await Wait.UntilAsync(
            async () => await puller.CountAsync() + bridge.Route().Delivered >= 20_000, () => $"{bridge.Route()} {other.Route()}");
        await SettledAsync(bridge);
        Assert.Equal(20_000, await puller.DistinctAsync() + bridge.Route().Delivered);
        Assert.Equal(20_000, await puller.CountAsync() + bridge.Route().Delivered);
        Assert.Equal(0, bridge.Route().Waiting);
    }

    [Fact]
    public async Task A_pusher_that_keeps_order_is_served_by_one_bridge()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with { KeepOrder = true });
        ZeroMqBridge other = await pipeline.BridgeAsync(options => options with { Pushers = [], KeepOrder = true });
        await using var first = new PyPuller(bridge.PullerEndpoint());
        await using var second = new PyPuller(other.PullerEndpoint());
        await Wait.UntilAsync(() => bridge.Route().Partners > 1, "both egresses");
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await pusher.SendAsync(10_000);
        await Wait.UntilAsync(async () => await first.CountAsync() + await second.CountAsync() == 10_000, () => $"{bridge.Route()}");
        Assert.Equal(0, Math.Min(await first.CountAsync(), await second.CountAsync()));
        Assert.Equal(0, await first.DisorderAsync() + await second.DisorderAsync());
    }

    private static async Task<long> SumAsync(IEnumerable<PyPuller> pullers)
    {
        long sum = 0;
        foreach (PyPuller puller in pullers)
        {
            sum += await puller.CountAsync();
        }

        return sum;
    }

    /// <summary>
    /// Waits until the pusher sends no more and the egress has the maximum of queued messages, and returns the number
    /// of sent messages.
    /// </summary>
    private static async Task<long> BlockedAsync(PyPusher pusher, ZeroMqBridge egress, int waiting = 256)
    {
        long last = -1;
        int same = 0;
        await Wait.UntilAsync(
            async () =>
            {
                long now = await pusher.SentAsync();
                same = now == last && now > 0 && egress.Route().Waiting == waiting ? same + 1 : 0;
                last = now;
                return same == 50;
            },
            () => $"{last} sent, {egress.Route()}");
        return last;
    }

    private static Task SettledAsync(ZeroMqBridge bridge)
        => Wait.UntilAsync(() => bridge.Route().InFlight == 0, () => $"not all is acknowledged: {bridge.Route()}");
}
