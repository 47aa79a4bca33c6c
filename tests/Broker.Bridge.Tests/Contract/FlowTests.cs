using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract;

/// <summary>
/// Points 3, 4, 5 and 12 of "What is tested" in docs/migration.md: programs that take nothing, programs that take
/// messages again, and order.
/// </summary>
public sealed class FlowTests
{
    private const int Window = 64;

    // Far more than the windows, the high-water marks and the kernel's buffers can contain.
    private const int Most = 2000;

    // In milliseconds. A program that would block for this time tries again, unless everything is full.
    private const int Refusal = 100;

    // This many attempts in a row must fail while nothing is delivered. A slow receiver is not full.
    private const int Refusals = 5;

    // The same for a program that sends and receives alternately until it may send no more.
    private const int Turn = 5;

    private static PushPullRouteOptions Narrow => ContractSite.PushPull with
    {
        Window = Window,
        WindowBytes = Window * 2 * ContractExtensions.Large,
        HighWaterMark = 5,
    };

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C03_A_PUSH_blocks_when_its_PULL_takes_nothing_memory_stays_and_others_flow(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(
            kind, minor, foreign, Narrow with { Name = "slow" }, Narrow with { Name = "quick", Subject = "work.other" });
        ForeignSocket pull = await site.ProgramAsync("PULL", site.Bridge.Pullers("slow"), ("RCVHWM", 5));
        ForeignSocket push = await site.ProgramAsync("PUSH", site.Bridge.Pushers("slow"), ("SNDHWM", 5));
        int sent = await FillAsync(push, site.Bridge, "slow");
        Assert.InRange(sent, Window, Most - 1);
        Assert.InRange(site.Bridge.PushPull("slow").InFlight, 1, Window);
        Assert.InRange(site.Bridge.Loops.BufferedBytes, 0, 32L << 20);

        ForeignSocket quickPull = await site.ProgramAsync("PULL", site.Bridge.Pullers("quick"));
        ForeignSocket quickPush = await site.ProgramAsync("PUSH", site.Bridge.Pushers("quick"));
        for (int i = 0; i < 2 * Window; i++)
        {
            Assert.True(await quickPush.SendLargeAsync(i));
            Assert.Equal(i, await quickPull.ReceiveLargeAsync());
        }

        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(i, await pull.ReceiveLargeAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C04_If_all_PULLs_are_full_and_one_takes_messages_again_the_next_messages_go_there(ForeignKind kind, byte minor, bool foreign)
    {
        const int More = 50;
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, Narrow);
        ForeignSocket full = await site.ProgramAsync("PULL", site.Bridge.Pullers(), ("RCVHWM", 5));
        ForeignSocket freed = await site.ProgramAsync("PULL", site.Bridge.Pullers(), ("RCVHWM", 5));
        await Wait.UntilAsync(() => site.Bridge.PushPull().Pullers == 2, "both");
        ForeignSocket push = await site.ProgramAsync("PUSH", site.Bridge.Pushers(), ("SNDHWM", 5));
        int sent = await FillAsync(push, site.Bridge);
        Assert.InRange(sent, Window, Most - 1);

        var atFreed = new HashSet<int>();
        for (int i = 0; i < More; i++)
        {
            int next = sent + i;
            await Wait.UntilAsync(
                async () =>
                {
                    if (await push.SendLargeAsync(next, Turn))
                    {
                        return true;
                    }

                    Assert.True(await freed.TryReceiveLargeAsync(Turn) is not { } number || atFreed.Add(number));
                    return false;
                },
                () => $"{next} is not sent, {site.Bridge.PushPull()}");
        }

        // The other PULL still takes nothing. All messages that were not queued for it go to this one.
        while (!atFreed.Contains(sent + More - 1))
        {
            Assert.True(atFreed.Add(await freed.ReceiveLargeAsync()));
        }

        var atFull = new HashSet<int>();
        while (atFreed.Count + atFull.Count < sent + More)
        {
            Assert.True(atFull.Add(await full.ReceiveLargeAsync()));
        }

        Assert.Empty(atFull.Intersect(atFreed));
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C05_Only_the_slow_one_of_two_SUBs_loses_messages_and_only_whole_ones(ForeignKind kind, byte minor, bool foreign)
    {
        const int Messages = 600;
        const int Portion = 5;
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PubSub with { HighWaterMark = 1 << 20 });
        ForeignSocket slow = await site.SubscriberAsync(site.Bridge.Subscribers(), options: ("RCVHWM", 1));
        ForeignSocket fast = await site.SubscriberAsync(site.Bridge.Subscribers(), "t");
        ForeignSocket pub = await site.PublisherAsync(site.Bridge.Publishers());
        await site.AlignAsync("zmq.t", slow, fast);
        long before = site.Bridge.PubSub().ToZeroMq;
        for (int i = 0; i < Messages; i += Portion)
        {
            for (int n = i; n < i + Portion; n++)
            {
                Assert.True(await pub.SendAsync([Shapes.Bytes("t"), ContractExtensions.Number(n), ContractExtensions.Filler]));
            }

            for (int n = i; n < i + Portion; n++)
            {
                Assert.Equal(n, await fast.ReceiveLargeAsync());
            }
        }

        // The loss of the last message at the slow SUB may be counted after the fast SUB has received it.
        await Wait.UntilAsync(
            () => site.Bridge.PubSub() is var route && route.Dropped + route.ToZeroMq - before >= 2 * Messages, () => $"{site.Bridge.PubSub()}");
        long lost = site.Bridge.PubSub().Dropped;
        Assert.InRange(lost, 1, Messages - 1);
        List<int> got = [];
        while (got.Count < Messages - lost)
        {
            got.Add(await slow.ReceiveLargeAsync());
        }

        Assert.Equal(got.Order().Distinct(), got);
        Assert.Equal((2 * Messages) - lost, site.Bridge.PubSub().ToZeroMq - before);
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C12_Each_PUSHs_messages_keep_their_order_and_none_is_lost_by_a_restart_that_lingers(ForeignKind kind, byte minor, bool foreign)
    {
        const int Each = 200;
        // Fixed ports that no other process receives while the bridge is closed.
        PushPullRouteOptions route = ContractSite.PushPull with
        {
            HighWaterMark = 4 * Each,
            Pushers = [new BridgeEndpoint(Bind: true, FreePort.NextAddress())],
            Pullers = [new BridgeEndpoint(Bind: true, FreePort.NextAddress())],
        };
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, route);
        ForeignSocket pull = await site.ProgramAsync("PULL", site.Bridge.Pullers(), ("RCVHWM", 5));
        ForeignSocket[] pushers = [await site.ProgramAsync("PUSH", site.Bridge.Pushers()), await site.ProgramAsync("PUSH", site.Bridge.Pushers())];
        await SendAsync(0);
        await Wait.UntilAsync(() => site.Bridge.PushPull() is { Delivered: 2 * Each, InFlight: 0 }, () => $"{site.Bridge.PushPull()}");

        // No message has been taken yet: queued messages are sent while the bridge closes.
        Task<long> ending = site.EndAsync(site.Bridge, linger: Wait.Limit);
        int[] next = [0, 0];
        await ReceiveAsync(Each);
        Assert.Equal(0, await Wait.For(ending));
        await site.BridgeAsync(route);
        await SendAsync(Each);
        await ReceiveAsync(2 * Each);

        async Task SendAsync(int from)
        {
            for (int i = from; i < from + Each; i++)
            {
                await pushers[0].SendTextAsync("0", $"{i}");
                await pushers[1].SendTextAsync("1", $"{i}");
            }
        }

        async Task ReceiveAsync(int upTo)
        {
            while (next[0] < upTo || next[1] < upTo)
            {
                string[] frames = (await pull.ReceiveTextAsync()).Split('|');
                Assert.Equal($"{next[frames[0][0] - '0']++}", frames[1]);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C12_Each_PUBs_messages_keep_their_order(ForeignKind kind, byte minor, bool foreign)
    {
        const int Each = 200;
        await using ContractSite site = await ContractSite.StartAsync(kind, minor, foreign, ContractSite.PubSub);
        ForeignSocket sub = await site.SubscriberAsync(site.Bridge.Subscribers());
        ForeignSocket[] publishers = [await site.PublisherAsync(site.Bridge.Publishers()), await site.PublisherAsync(site.Bridge.Publishers())];
        for (int i = 0; i < Each; i++)
        {
            await publishers[0].SendTextAsync("0", $"{i}");
            await publishers[1].SendTextAsync("1", $"{i}");
        }

        int[] next = [0, 0];
        while (next.Sum() < 2 * Each)
        {
            string[] frames = (await sub.ReceiveTextAsync()).Split('|');
            Assert.Equal($"{next[frames[0][0] - '0']++}", frames[1]);
        }
    }

    // Waits until the egress has the maximum of queued messages, delivers no more, and the program would block.
    private static async Task<int> FillAsync(ForeignSocket push, ZeroMqBridge bridge, string route = "pushpull")
    {
        int sent = 0;
        int refusals = 0;
        long handedOver = -1;
        await Wait.UntilAsync(
            async () =>
            {
                if (await push.SendLargeAsync(sent, Refusal))
                {
                    refusals = 0;
                    return ++sent == Most;
                }

                PushPullRouteSnapshot now = bridge.PushPull(route);
                refusals = now.Waiting == Window && now.Delivered == handedOver ? refusals + 1 : 0;
                handedOver = now.Delivered;
                return refusals == Refusals;
            },
            () => $"{sent} sent, {bridge.PushPull(route)}");
        return sent;
    }
}
