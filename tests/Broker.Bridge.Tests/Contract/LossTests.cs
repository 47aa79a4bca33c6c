using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.Testing;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract;

/// <summary>
/// Points 2, 6, 10 and 11 of "What is tested" in docs/migration.md: servers, workers, clients and links that are lost.
/// </summary>
public sealed class LossTests
{
    // Long enough for a live program to answer, even on a slow machine.
    private static readonly TimeSpan Short = TimeSpan.FromSeconds(2);

    // In milliseconds: how long a PUSH waits that cannot send.
    private const int Refusal = 100;

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C02_After_a_server_restart_the_bridge_subscribes_again_and_lost_messages_are_counted(ForeignKind kind, byte minor, bool foreign)
    {
        const int Each = 50;
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PubSub);
        ForeignSocket sub = await site.SubscriberAsync(site.Bridge.Subscribers(), "a.");
        ForeignSocket pub = await site.PublisherAsync(site.Bridge.Publishers());
        await SendAsync("before");
        await ReceiveAsync("before");

        await site.LoseServerAsync();
        await SendAsync("between");
        await Wait.UntilAsync(() => site.Bridge.PubSub().FromZeroMq == 2 * Each, () => $"{site.Bridge.PubSub()}");
        await site.StartServerAsync();
        await site.HearsAsync(sub, "zmq.a.probe");
        await SendAsync("after");
        await ReceiveAsync("after");
        Assert.Equal((3 * Each, 2 * Each, Each), (site.Bridge.PubSub().FromZeroMq, site.Bridge.PubSub().ToSubjects, site.Bridge.PubSub().Dropped));

        async Task SendAsync(string body)
        {
            for (int i = 0; i < Each; i++)
            {
                await pub.SendTextAsync("a.b", $"{body} {i}");
            }
        }

        async Task ReceiveAsync(string body)
        {
            for (int i = 0; i < Each; i++)
            {
                Assert.Equal($"a.b|{body} {i}", await sub.ReceiveTextAsync());
            }
        }
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C06_The_client_of_a_lost_worker_is_notified_and_no_state_is_left(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(
            kind,
            minor,
            foreign,
            ContractSite.Requests with { ServiceErrorReply = "lost"u8.ToArray() },
            ContractSite.Workers with { OnWorkerLoss = WorkerLoss.Reply });
        ForeignSocket rep = await site.ProgramAsync("REP", site.Bridge.Endpoint("worker"));
        ForeignSocket req = await site.ProgramAsync("REQ", site.Bridge.Endpoint("request"));
        await req.SendTextAsync("x");
        Assert.Equal("x", await rep.ReceiveTextAsync());
        site.Kill(rep);

        Assert.Equal("lost", await req.ReceiveTextAsync());
        await Wait.UntilAsync(() => site.Bridge.Workers() is { WorkerLost: 1, Pending: 0, IsSubscribed: false }, () => $"{site.Bridge.Workers()}");
        await Wait.UntilAsync(() => site.Bridge.Requests() is { Failed: 1, Answered: 0, Pending: 0 }, () => $"{site.Bridge.Requests()}");
        ForeignSocket next = await site.ProgramAsync("REP", site.Bridge.Endpoint("worker"));
        await req.SendTextAsync("y");
        Assert.Equal("y", await next.ServeAsync("done"));
        Assert.Equal("done|y", await req.ReceiveTextAsync());
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C06_A_late_reply_to_a_disconnected_REQ_is_dropped_and_no_state_is_left(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.Requests, ContractSite.Workers);
        ForeignSocket rep = await site.ProgramAsync("REP", site.Bridge.Endpoint("worker"));
        ForeignSocket gone = await site.ProgramAsync("REQ", site.Bridge.Endpoint("request"));
        await gone.SendTextAsync("x");
        Assert.Equal("x", await rep.ReceiveTextAsync());
        site.Kill(gone);
        await Wait.UntilAsync(() => site.Bridge.Requests().Peers == 0, "the end of the client");
        await rep.SendTextAsync("late");
        await Wait.UntilAsync(() => site.Bridge.Requests() is { Undeliverable: 1, Pending: 0 }, () => $"{site.Bridge.Requests()}");

        ForeignSocket req = await site.ProgramAsync("REQ", site.Bridge.Endpoint("request"));
        await req.SendTextAsync("y");
        Assert.Equal("y", await rep.ServeAsync("done"));
        Assert.Equal("done|y", await req.ReceiveTextAsync());
        RequestRouteSnapshot counts = site.Bridge.Requests();
        Assert.Equal((2, 1, 1, 0), (counts.FromZeroMq, counts.Answered, counts.Undeliverable, counts.Pending));
    }

    [Theory]
    [MemberData(nameof(Parties.WithHeartbeats), MemberType = typeof(Parties))]
    public async Task C10_A_worker_behind_a_dead_link_is_given_up_by_the_heartbeat_and_comes_back_with_the_link(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.Workers with { HeartbeatInterval = Short });
        FaultLink link = site.Link(site.Bridge.Endpoint("worker"));
        ForeignSocket rep = await site.ProgramAsync("REP");
        await rep.ConnectAsync($"tcp://{link.Address}");
        await Wait.UntilAsync(() => site.Bridge.Workers() is { Peers: 1, IsSubscribed: true }, "the worker");
        link.Stall();
        await Wait.UntilAsync(() => site.Bridge.Workers() is { Peers: 0, IsSubscribed: false }, () => $"{site.Bridge.Workers()}");
        link.Resume();

        Task<Message> asked = RequestSite.AskAsync(await site.ClientAsync(), "x");
        Assert.Equal("x", await rep.ServeAsync("done"));
        await asked;
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C10_A_server_behind_a_dead_link_is_disconnected_and_accepted_messages_arrive_once_after_the_reconnect(ForeignKind kind, byte minor, bool foreign)
    {
        const int Messages = 100;
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign);
        FaultLink link = site.Link(site.Server);
        ZeroMqBridge bridge = await site.BridgeAsync(link.EndPoint, ContractSite.PushPull);
        ForeignSocket pull = await site.ProgramAsync("PULL", bridge.Pullers());
        ForeignSocket push = await site.ProgramAsync("PUSH", bridge.Pushers());
        await push.SendTextAsync("first");
        Assert.Equal("first", await pull.ReceiveTextAsync());
        link.Stall();
        for (int i = 0; i < Messages; i++)
        {
            await push.SendTextAsync($"{i}");
        }

        await Wait.UntilAsync(() => bridge.Snapshot().Server is null, "the loss of the server");
        link.Cut();
        link.Resume();
        for (int i = 0; i < Messages; i++)
        {
            Assert.Equal($"{i}", await pull.ReceiveTextAsync());
        }

        await Wait.UntilAsync(() => bridge.PushPull() is { InFlight: 0, Delivered: Messages + 1 }, () => $"{bridge.PushPull()}");
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C11_Without_a_server_a_PUSH_is_not_read_and_messages_of_PUBs_are_dropped(ForeignKind kind, byte minor, bool foreign)
    {
        const int Published = 20;
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PubSub, ContractSite.PushPull);
        ForeignSocket pub = await site.PublisherAsync(site.Bridge.Publishers());
        ForeignSocket pull = await site.ProgramAsync("PULL", site.Bridge.Pullers());
        ForeignSocket push = await site.ProgramAsync("PUSH", site.Bridge.Pushers(), ("SNDHWM", 5));
        await Wait.UntilAsync(() => site.Bridge.PushPull() is { Pushers: 1, Pullers: 1, Partners: > 0 }, () => $"{site.Bridge.PushPull()}");
        await site.LoseServerAsync();
        for (int i = 0; i < Published; i++)
        {
            await pub.SendTextAsync("t", $"{i}");
        }

        await Wait.UntilAsync(() => site.Bridge.PubSub() is { Dropped: Published, ToSubjects: 0 }, () => $"{site.Bridge.PubSub()}");
        int pushed = 0;
        while (await push.SendLargeAsync(pushed, Refusal))
        {
            Assert.InRange(++pushed, 1, 1000);
        }

        Assert.Equal(0, site.Bridge.PushPull().Accepted);
        await site.StartServerAsync();
        for (int i = 0; i < pushed; i++)
        {
            Assert.Equal(i, await pull.ReceiveLargeAsync());
        }

        await Wait.UntilAsync(() => site.Bridge.PushPull().InFlight == 0, () => $"{site.Bridge.PushPull()}");
        Assert.Equal((pushed, pushed), (site.Bridge.PushPull().Accepted, site.Bridge.PushPull().Delivered));
    }
}
