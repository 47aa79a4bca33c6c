using Broker.Testing;
using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class SlowSubscriberTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task A_slow_subscriber_loses_whole_messages_that_are_counted_and_the_others_lose_none()
    {
        const int Messages = 40_000;
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMark = 300_000 });
        string endpoint = publisher.Bind(AnyPort).ToString();
        using LibzmqPeer slow = await LibzmqPeer.StartAsync("SUB", "connect", endpoint, "RCVHWM=10");
        await slow.DoAsync("count");
        await slow.DoAsync("pause");
        await slow.DoAsync("subscribe");
        await rig.InterestAsync("+");
        ZeroMqPeer slowInfo = Assert.Single(publisher.Peers);
        using LibzmqPeer fast = await LibzmqPeer.StartAsync("SUB", "connect", endpoint, "RCVHWM=0");
        await fast.DoAsync("count");
        await fast.DoAsync("subscribe");
        await Wait.UntilAsync(
            async () => publisher.Peers.Count == 2 && await rig.PublishAsync(publisher, Wire.Ascii("warm"), Repeated("warm")) == 2, "both");
        ZeroMqPeer fastInfo = publisher.Peers.Single(peer => peer != slowInfo);
        long slowBefore = slowInfo.MessagesSent + slowInfo.MessagesDropped;
        for (int sent = 0; sent < Messages; sent += 50)
        {
            await rig.OnLoopAsync(() =>
            {
                for (int i = 0; i < 50; i++)
                {
                    rig.Publish(publisher, [Wire.Ascii($"{sent + i:D8}"), Repeated($"{sent + i:D8}")]);
                }

                return 0;
            });
            if (fastInfo.PendingBytes > 100_000)
            {
                await Wait.UntilAsync(() => fastInfo.PendingBytes <= 100_000, "the fast one");
            }
        }

        Assert.Equal(0, fastInfo.MessagesDropped);
        Assert.InRange(slowInfo.MessagesDropped, 1, Messages);
        Assert.InRange(slowInfo.PendingBytes, 1, 300_000);
        Assert.Equal(slowBefore + Messages, slowInfo.MessagesSent + slowInfo.MessagesDropped);
        Assert.Equal(slowInfo.MessagesDropped, publisher.MessagesDropped);

        // One event, unless the kernel accepted everything meanwhile and dropping began anew.
        List<ZeroMqEvent> told = rig.Events.TakeAll().FindAll(e => e.Kind == ZeroMqEventKind.MessagesDropped);
        Assert.NotEmpty(told);
        Assert.All(told, e => Assert.Equal(slowInfo, e.Peer));

        await slow.DoAsync("resume");
        await Wait.UntilAsync(() => slowInfo.PendingBytes == 0 && fastInfo.PendingBytes == 0, () => $"{slowInfo.PendingBytes} and {fastInfo.PendingBytes} wait");
        long slowSent = slowInfo.MessagesSent;
        long fastSent = fastInfo.MessagesSent;
        Assert.Equal(2, await rig.PublishAsync(publisher, Wire.Ascii("END"), []));
        Assert.Equal((slowSent, 0), await slow.CountedAsync());
        Assert.Equal((fastSent, 0), await fast.CountedAsync());
    }

    [Fact]
    public void A_stalled_peer_is_not_closed_by_heartbeats()
    {
        var time = new VirtualTime();
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, TimeProvider = time });
        var events = new Inbox<ZeroMqEvent>();
        int prefixes = 0;
        var publisher = new LoopPublisher(group, new LoopPublisherOptions
        {
            HeartbeatInterval = TimeSpan.FromSeconds(1),
            HeartbeatTimeout = TimeSpan.FromSeconds(3),
            HighWaterMark = 1 << 20,
            OnEvent = events.Add,
            OnInterest = (_, _) => prefixes++,
        });
        using RawPeer stalled = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("SUBSCRIBE"));
        Turn(() => prefixes == 1);
        Turn(() =>
        {
            publisher.Publish(group[0], Wire.Ascii("t"), Wire.Filled(100_000));
            return publisher.MessagesDropped > 0;
        });

        for (int second = 1; second <= 10; second++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            group[0].RunOnce(TimeSpan.Zero);
            group[0].RunOnce(TimeSpan.Zero);
        }

        Assert.Single(publisher.Peers);
        Assert.DoesNotContain(events.TakeAll(), e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected);

        void Turn(Func<bool> until)
        {
            for (long end = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds; !until();)
            {
                Assert.True(Environment.TickCount64 < end);
                group[0].RunOnce(TimeSpan.FromMilliseconds(1));
            }
        }
    }

    [Fact]
    public async Task A_stalled_peer_is_closed_if_the_option_is_set()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { StalledPeerTimeout = TimeSpan.FromMilliseconds(300), HighWaterMark = 1 << 20 });
        using RawPeer stalled = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("SUBSCRIBE"));
        await rig.InterestAsync("+");
        while (publisher.MessagesDropped == 0 && publisher.Peers.Count > 0)
        {
            await rig.PublishAsync(publisher, Wire.Ascii("t"), Wire.Filled(100_000));
        }

        ZeroMqEvent gone = await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        Assert.Equal("accepted no data for too long", gone.Reason);
        Assert.InRange(gone.Undelivered, 1, 11);
    }

    [Fact]
    public async Task A_message_larger_than_the_mark_is_sent_if_the_queue_is_empty()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMark = 1000 });
        using LibzmqPeer peer = await LibzmqPeer.StartAsync("SUB", "connect", publisher.Bind(AnyPort).ToString());
        await peer.DoAsync("subscribe");
        await rig.InterestAsync("+");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Filled(50_000)));
        Assert.Equal(LibzmqPeer.Show(Wire.Filled(50_000)), await peer.ReceiveAsync());
    }

    [Fact]
    public async Task Each_period_of_dropping_is_reported_although_the_peer_never_blocked_the_queue()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMark = 100 });
        using LibzmqPeer peer = await LibzmqPeer.StartAsync("SUB", "connect", publisher.Bind(AnyPort).ToString());
        await peer.DoAsync("subscribe");
        await rig.InterestAsync("+");
        for (int episode = 0; episode < 2; episode++)
        {
            ZeroMqEvent? told = null;
            while (told is null)
            {
                // Two messages in one iteration are one too many; between iterations the peer accepts everything.
                await rig.OnLoopAsync(() => rig.Publish(publisher, [Wire.Filled(80)]) + rig.Publish(publisher, [Wire.Filled(80)]));
                await Task.Delay(20, TestContext.Current.CancellationToken);
                told = rig.Events.TakeAll().Find(e => e.Kind == ZeroMqEventKind.MessagesDropped);
                Assert.True(publisher.MessagesDropped < 2_000, "it fell silent");
            }
        }
    }

    private static byte[] Repeated(string topic) => Wire.Ascii(string.Concat(Enumerable.Repeat(topic, 100)));
}
