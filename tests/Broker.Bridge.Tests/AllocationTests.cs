using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests;

/// <summary>Messages of the routes without an allocation test of their own do not allocate.</summary>
public sealed class AllocationTests : IDisposable
{
    private const int Portion = 200;
    private const int Messages = 20_000;

    // The smallest object for each message would be twice this limit. The tests' own waits, an occasional timer tick
    // and a request for a window of messages allocate less.
    private const long Allowance = 12 * Messages;

    private readonly PortionedLoad _load = new(Portion);

    private delegate bool Send(byte[] body);

    public void Dispose() => _load.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task From_a_DEALER_through_a_ROUTER_route_and_a_DEALER_route_to_a_worker_and_back_nothing_is_allocated(int serverLoops)
    {
        await using RequestSite site = await RequestSite.StartAsync(
            serverLoops,
            new RawRouteOptions { Name = "clients", Socket = RawSocket.Router, ToSubject = "raw.there", FromSubject = "raw.back", Endpoints = [RequestSite.AnyPort] },
            new RawRouteOptions
            {
                Name = "servers",
                Socket = RawSocket.Dealer,
                ToSubject = "raw.back",
                FromSubject = "raw.there",
                CarryIdentities = true,
                Endpoints = [RequestSite.AnyPort],
            });
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        LoopDealer worker = null!;
        await using LoopDealer works = worker = new LoopDealer(loops[0], (ZeroMqPeer _, in ZmtpMessage message) => worker.TrySend(message));
        await using var asks = new LoopDealer(loops[0], Count);
        worker.Connect(site.Endpoint("servers"));
        asks.Connect(site.Endpoint("clients"));
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Routes.Sum(route => route.Peers) == 2, "both programs");

        AssertNothing(loops[0], body => asks.TrySend(body), () => string.Join(' ', site.Bridge.Snapshot().Routes));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task From_a_PAIR_to_another_nothing_is_allocated(int serverLoops)
    {
        await using RequestSite site = await RequestSite.StartAsync(
            serverLoops,
            new RawRouteOptions { Name = "left", Socket = RawSocket.Pair, ToSubject = "p.right", FromSubject = "p.left", Endpoints = [RequestSite.AnyPort] },
            new RawRouteOptions { Name = "right", Socket = RawSocket.Pair, ToSubject = "p.left", FromSubject = "p.right", Endpoints = [RequestSite.AnyPort] });
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using var left = new LoopPair(loops[0], static (ZeroMqPeer _, in ZmtpMessage _) => true);
        await using var right = new LoopPair(loops[0], Count);
        left.Connect(site.Endpoint("left"));
        right.Connect(site.Endpoint("right"));
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Routes.All(route => route.Peers == 1), "both programs");

        AssertNothing(loops[0], body => left.TrySend(body), () => string.Join(' ', site.Bridge.Snapshot().Routes));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task From_a_ZeroMQ_client_to_a_native_service_and_back_nothing_is_allocated(int serverLoops)
    {
        await using RequestSite site = await RequestSite.StartAsync(serverLoops, RequestSite.Asking with { MaxPendingPerClient = 10_000 });
        await using BrokerConnection service = await site.ClientAsync();
        service.Subscribe(RequestSite.Subject, static (in MessageView message) => message.Respond(message.Body));
        await service.FlushAsync(TestContext.Current.CancellationToken);
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using var asks = new LoopDealer(loops[0], Count);
        asks.Connect(site.Endpoint("request"));
        await Wait.UntilAsync(() => site.Requests.Peers == 1, "the client");

        AssertNothing(loops[0], body => asks.TrySend(default, body), () => $"{site.Requests}");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task From_PUSH_through_a_stream_to_PULL_nothing_is_allocated_whether_or_not_somebody_could_listen_to_spans(bool tracing)
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("jetstream-");
        try
        {
            await using Pipeline pipeline = await Pipeline.StartAsync(foreign: true, "-js", "-sd", store.FullName);
            pipeline.Tracing = tracing;
            ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with
            {
                Window = 4096,
                HighWaterMark = 1000,
                Stream = new StreamQueueOptions { Stream = "WORK" },
            });
            using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
            await using var pull = new LoopPull(loops[0], Count);
            await using var push = new LoopPush(loops[0]);
            pull.Connect(bridge.PullerEndpoint());
            push.Connect(bridge.PusherEndpoint());
            await Wait.UntilAsync(() => bridge.Route() is { Pushers: 1, Pullers: 1 }, () => $"{bridge.Route()}");

            AssertNothing(loops[0], body => push.TrySend(body), () => $"{bridge.Route()}");
        }
        finally
        {
            store.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_shadow_worker_request_and_its_dropped_reply_do_not_allocate(int serverLoops)
    {
        await using RequestSite site = await RequestSite.StartAsync(
            serverLoops,
            new RawRouteOptions { Name = "clients", Socket = RawSocket.Router, ToSubject = RequestSite.Subject, FromSubject = "raw.back", Endpoints = [RequestSite.AnyPort] },
            RequestSite.Answering with { Name = "shadow", Shadow = true });
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        LoopDealer worker = null!;
        await using LoopDealer works = worker = new LoopDealer(loops[0], (ZeroMqPeer peer, in ZmtpMessage message) => worker.TrySend(message) && Count(peer, message));
        await using var asks = new LoopDealer(loops[0], static (ZeroMqPeer _, in ZmtpMessage _) => true);
        worker.Connect(site.Endpoint("shadow"));
        asks.Connect(site.Endpoint("clients"));
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Routes.Sum(route => route.Peers) == 2 && Shadow().IsSubscribed, "both programs");

        AssertNothing(loops[0], body => asks.TrySend(body), () => $"{Shadow()}");
        await Wait.UntilAsync(() => Shadow().Answered == Shadow().FromSubjects, () => $"{Shadow()}");
        Assert.Equal((0, 0), (Shadow().ToSubjects, Shadow().Dropped));

        WorkerRouteSnapshot Shadow() => (WorkerRouteSnapshot)site.Bridge.Snapshot()["shadow"]!;
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(false, 3)]
    [InlineData(true, 1)]
    public async Task A_copy_of_a_message_for_a_PULL_in_the_shadow_allocates_nothing(bool foreign, int frames)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with { Window = 4096, HighWaterMark = 1000 });
        ZeroMqBridge shadow = await pipeline.BridgeAsync(options => options with { Pushers = [], Shadow = true, HighWaterMark = 1000 });
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using var copies = new LoopPull(loops[0], Count);
        await using var pull = new LoopPull(loops[0], static (ZeroMqPeer _, in ZmtpMessage _) => true);
        await using var push = new LoopPush(loops[0]);
        copies.Connect(shadow.PullerEndpoint());
        pull.Connect(bridge.PullerEndpoint());
        push.Connect(bridge.PusherEndpoint());
        await Wait.UntilAsync(() => bridge.Route() is { Pushers: 1, Pullers: 1, Partners: > 0 } && shadow.Route().Pullers == 1, () => $"{bridge.Route()}");

        byte[] frame = new byte[64];
        ReadOnlyMemory<byte>[] several = [.. Enumerable.Repeat<ReadOnlyMemory<byte>>(frame, frames)];
        AssertNothing(loops[0], _ => push.TrySend(several), () => $"{bridge.Route()} {shadow.Route()}");
        Assert.Equal((0, 0), (shadow.Route().Dropped, shadow.Route().Refused));
    }

    private bool Count(ZeroMqPeer peer, in ZmtpMessage message)
    {
        _load.Count();
        return true;
    }

    private void AssertNothing(EventLoop loop, Send send, Func<string> describe)
    {
        byte[] body = new byte[64];
        bool refused = false;
        Action portion = () =>
        {
            for (int i = 0; i < Portion; i++)
            {
                refused |= !send(body);
            }
        };

        (long once, long twice) = _load.Measure(Messages, rounds: 3, () => loop.Post(portion), describe);
        Assert.False(refused, "a socket took no more");
        Assert.InRange(twice - once, -Allowance, Allowance);
        Assert.InRange(once, 0, Allowance);
    }
}
