using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class LibzmqTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static readonly byte[][][] Shapes =
    [
        [Wire.Ascii("one")],
        [Wire.Ascii("key"), Wire.Ascii("body")],
        [Wire.Ascii("a"), [], Wire.Filled(300), Wire.Filled(255, (byte)'b'), Wire.Ascii("c")],
        [Wire.Ascii("line\r\nbreak"), Wire.Ascii("x")],
        [Wire.Ascii("nul\0inside"), [0]],
        [Wire.Ascii("with space"), []],
        [[], Wire.Ascii("empty topic")],
        [Wire.Filled(4096, (byte)'t'), Wire.Filled(100_000)],
        [Wire.Ascii("big"), Wire.Filled(3_000_000)],
    ];

    [Theory]
    [InlineData("SUB", true)]
    [InlineData("SUB", false)]
    [InlineData("XSUB", true)]
    [InlineData("XSUB", false)]
    public async Task Libzmq_receives_what_we_publish_whoever_binds(string type, bool weBind)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { AnnounceExtended = type == "XSUB" });
        using LibzmqPeer peer = weBind
            ? await LibzmqPeer.StartAsync(type, "connect", publisher.Bind(AnyPort).ToString())
            : await LibzmqPeer.StartAsync(type, "bind", AnyPort);
        if (!weBind)
        {
            publisher.Connect(peer.Endpoint);
        }

        await (type == "SUB" ? peer.DoAsync("subscribe", []) : peer.DoAsync("send", [1]));
        await rig.InterestAsync("+");
        foreach (byte[][] frames in Shapes)
        {
            Assert.Equal(1, await rig.PublishAsync(publisher, frames));
        }

        foreach (byte[][] frames in Shapes)
        {
            Assert.Equal(LibzmqPeer.Show(frames), await peer.ReceiveAsync());
        }

        ZeroMqPeer info = Assert.Single(publisher.Peers);
        Assert.Equal(type, info.Zmtp.SocketType.ToString().ToUpperInvariant());
        Assert.Equal(Shapes.Length, info.MessagesSent);
        Assert.Equal(!weBind, info.IsOutgoing);
    }

    [Theory]
    [InlineData("PUB", true)]
    [InlineData("PUB", false)]
    [InlineData("XPUB", true)]
    [InlineData("XPUB", false)]
    public async Task We_receive_what_libzmq_publishes_whoever_binds(string type, bool weBind)
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber(o => o with { AnnounceExtended = type == "XPUB" });
        subscriber.Subscribe([]);
        using LibzmqPeer peer = weBind
            ? await LibzmqPeer.StartAsync(type, "connect", subscriber.Bind(AnyPort).ToString())
            : await LibzmqPeer.StartAsync(type, "bind", AnyPort);
        if (!weBind)
        {
            subscriber.Connect(peer.Endpoint);
        }

        await ProbeAsync(rig, peer);
        foreach (byte[][] frames in Shapes)
        {
            await peer.DoAsync("send", frames);
        }

        foreach (byte[][] frames in Shapes)
        {
            Assert.Equal(LibzmqPeer.Show(frames), await rig.Messages.TakeAsync(m => m != LibzmqPeer.Show(Wire.Ascii("probe"))));
        }
    }

    [Fact]
    public async Task Topics_are_matched_byte_by_byte()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        using LibzmqPeer peer = await LibzmqPeer.StartAsync("SUB", "connect", publisher.Bind(AnyPort).ToString());
        string[] prefixes = ["a.b", "x\r\n", "n\0l", "s p", new('t', 4096)];
        foreach (string prefix in prefixes)
        {
            await peer.DoAsync("subscribe", Wire.Ascii(prefix));
            await rig.InterestAsync("+" + prefix);
        }

        foreach (string prefix in prefixes)
        {
            Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii(prefix[..^1])));
            Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii(prefix)));
            Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii(prefix + "!"), []));
            Assert.Equal(LibzmqPeer.Show(Wire.Ascii(prefix)), await peer.ReceiveAsync());
            Assert.Equal(LibzmqPeer.Show(Wire.Ascii(prefix + "!"), []), await peer.ReceiveAsync());
        }
    }

    [Fact]
    public async Task A_subscriber_that_is_late_loses_only_what_came_before()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        string endpoint = publisher.Bind(AnyPort).ToString();
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("t1")));
        using LibzmqPeer peer = await LibzmqPeer.StartAsync("SUB", "connect", endpoint);
        await peer.DoAsync("subscribe", Wire.Ascii("t"));
        await rig.InterestAsync("+t");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("t2")));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("t2")), await peer.ReceiveAsync());
    }

    [Fact]
    public async Task Two_subscriptions_of_an_application_need_two_cancellations()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        using LibzmqPeer peer = await LibzmqPeer.StartAsync("SUB", "connect", publisher.Bind(AnyPort).ToString());
        await peer.DoAsync("subscribe", Wire.Ascii("t"));
        await peer.DoAsync("subscribe", Wire.Ascii("t"));
        await peer.DoAsync("unsubscribe", Wire.Ascii("t"));
        await peer.DoAsync("subscribe", Wire.Ascii("after"));
        await rig.InterestAsync("+after");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("t")));
        await peer.DoAsync("unsubscribe", Wire.Ascii("t"));
        await rig.InterestAsync("-t");
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("t")));
    }

    [Fact]
    public async Task Our_subscriptions_reach_an_XPUB_once_and_come_back_after_its_restart()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe("a"u8);
        subscriber.Subscribe("a"u8);
        subscriber.Subscribe("b"u8);
        subscriber.Unsubscribe("b"u8);
        string endpoint;
        using (LibzmqPeer first = await LibzmqPeer.StartAsync("XPUB", "bind", FreePort.NextAddress()))
        {
            endpoint = first.Endpoint;
            subscriber.Connect(endpoint);
            Assert.Equal("0161", await first.ReceiveAsync());
            subscriber.Unsubscribe("a"u8);
            subscriber.Subscribe("c"u8);
            Assert.Equal("0163", await first.ReceiveAsync());
            first.Kill();
            await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        }

        using LibzmqPeer second = await LibzmqPeer.StartAsync("XPUB", "bind", endpoint);
        string[] replayed = [await second.ReceiveAsync(), await second.ReceiveAsync()];
        Assert.Equal(["0161", "0163"], replayed.Order());
        subscriber.Unsubscribe("a"u8);
        Assert.Equal("0061", await second.ReceiveAsync());
        await second.DoAsync("send", Wire.Ascii("c1"));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("c1")), await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task The_subscriptions_of_a_restarted_subscriber_are_restored_automatically()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        string endpoint;
        using (LibzmqPeer first = await LibzmqPeer.StartAsync("SUB", "bind", FreePort.NextAddress()))
        {
            endpoint = first.Endpoint;
            publisher.Connect(endpoint);
            await first.DoAsync("subscribe", Wire.Ascii("t"));
            await rig.InterestAsync("+t");
            first.Kill();
        }

        await rig.InterestAsync("-t");
        using LibzmqPeer second = await LibzmqPeer.StartAsync("SUB", "bind", endpoint);
        await second.DoAsync("subscribe", Wire.Ascii("t"));
        await rig.InterestAsync("+t");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("t")));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("t")), await second.ReceiveAsync());
    }

    [Fact]
    public async Task When_we_restart_a_libzmq_subscriber_comes_back_with_its_subscriptions()
    {
        await using var rig = new Rig();
        LoopPublisher first = rig.Publisher();
        string endpoint = first.Bind(FreePort.NextAddress()).ToString();
        using LibzmqPeer peer = await LibzmqPeer.StartAsync("SUB", "connect", endpoint);
        await peer.DoAsync("subscribe", Wire.Ascii("t"));
        await rig.InterestAsync("+t");
        await first.CloseAsync(TimeSpan.Zero);
        await rig.InterestAsync("-t");
        LoopPublisher second = rig.Publisher();
        second.Bind(endpoint);
        await rig.InterestAsync("+t");
        Assert.Equal(1, await rig.PublishAsync(second, Wire.Ascii("t")));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("t")), await peer.ReceiveAsync());
    }

    [Fact]
    public async Task Heartbeats_of_both_sides_leave_a_silent_link_to_libzmq_connected()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with
        {
            HeartbeatInterval = TimeSpan.FromMilliseconds(50),
            HeartbeatTimeout = TimeSpan.FromSeconds(120),
            HeartbeatTtl = TimeSpan.FromSeconds(120),
        });
        using LibzmqPeer peer = await LibzmqPeer.StartAsync(
            "SUB", "connect", publisher.Bind(AnyPort).ToString(), "HEARTBEAT_IVL=50", "HEARTBEAT_TIMEOUT=120000", "HEARTBEAT_TTL=120000");
        await peer.DoAsync("subscribe", Wire.Ascii("t"));
        await rig.InterestAsync("+t");
        await Task.Delay(1000, TestContext.Current.CancellationToken);
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("t")));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("t")), await peer.ReceiveAsync());
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind is ZeroMqEventKind.PeerDisconnected or ZeroMqEventKind.PeerRefused);
    }

    /// <summary>
    /// Waits for a subscription. A libzmq PUB does not report its subscriptions, so messages are sent until one
    /// arrives.
    /// </summary>
    private static async Task ProbeAsync(Rig rig, LibzmqPeer peer)
    {
        Task<string> arrival = rig.Messages.TakeAsync();
        while (!arrival.IsCompleted)
        {
            await peer.DoAsync("send", Wire.Ascii("probe"));
            await Task.WhenAny(arrival, Task.Delay(20, TestContext.Current.CancellationToken));
        }

        await arrival;
    }
}
