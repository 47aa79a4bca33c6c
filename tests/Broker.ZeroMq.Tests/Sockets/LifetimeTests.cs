using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class LifetimeTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 1)]
    [InlineData(true, 3)]
    public async Task Our_own_sockets_connect_over_tcp_ipc_and_inproc_whoever_binds(bool publisherBinds, int loops)
    {
        string directory = Directory.CreateTempSubdirectory("zmq").FullName;
        foreach (string asked in (string[])[AnyPort, $"ipc://{directory}/s", "tcp://[::1]:*", "inproc://pub-sub"])
        {
            await using var rig = new Rig(loops);
            LoopPublisher publisher = rig.Publisher();
            LoopSubscriber subscriber = rig.Subscriber();
            subscriber.Subscribe("t"u8);
            LoopSocket binds = publisherBinds ? publisher : subscriber;
            LoopSocket connects = publisherBinds ? subscriber : publisher;
            connects.Connect(binds.Bind(asked).ToString());
            await rig.InterestAsync("+t");
            for (int i = 0; i < 100; i++)
            {
                Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii($"t{i}"), [], Wire.Filled(i * 100)));
            }

            for (int i = 0; i < 100; i++)
            {
                Assert.Equal(LibzmqPeer.Show(Wire.Ascii($"t{i}"), [], Wire.Filled(i * 100)), await rig.Messages.TakeAsync());
            }
        }

        Directory.Delete(directory, recursive: true);
    }

    [Fact]
    public async Task A_socket_has_many_endpoints_and_connects_before_the_peer_binds()
    {
        await using var rig = new Rig(loops: 2);
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe([]);
        string later = FreePort.NextAddress();
        subscriber.Connect(later);
        Assert.Equal("connection refused", (await rig.EventAsync(ZeroMqEventKind.ConnectFailed)).Reason);
        string own = subscriber.Bind(AnyPort).ToString();

        LoopPublisher first = rig.Publisher();
        first.Bind(later);
        await rig.InterestAsync("+");
        LoopPublisher second = rig.Publisher();
        second.Connect(own);
        second.Connect(subscriber.Bind(AnyPort).ToString());
        await Wait.UntilAsync(async () => second.Peers.Count == 2 && await rig.PublishAsync(second, Wire.Ascii("2")) == 2, "two that want it");
        Assert.Equal(1, await rig.PublishAsync(first, Wire.Ascii("1")));
        await rig.Messages.TakeAsync(m => m == "31");
        Assert.True(second.Disconnect(own));
        Assert.False(second.Disconnect(own));
        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.ConnectFailed);
    }

    [Fact]
    public async Task A_message_that_matches_no_subscription_is_filtered()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe("a"u8);
        using RawPeer peer = new RawPeer(subscriber.Bind(AnyPort)).Handshake("XPUB")
            .Send(Wire.Message(Wire.Ascii("b")), Wire.Message(Wire.Ascii("a1"), []), Wire.Message([[]]), Wire.Message(Wire.Ascii("a2")));
        Assert.Equal("6131,-", await rig.Messages.TakeAsync());
        Assert.Equal("6132", await rig.Messages.TakeAsync());
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Theory]
    [InlineData(0, "0161")]
    [InlineData(1, "SUBSCRIBE")]
    public async Task Subscriptions_are_sent_in_the_form_of_the_peers_version(byte minor, string expected)
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe("a"u8);
        using RawPeer peer = new RawPeer(subscriber.Bind(AnyPort)).Handshake("PUB", minor);
        byte[] subscription = minor == 0 ? Wire.Hex("0002" + expected) : Wire.Command(expected, Wire.Ascii("a"));
        byte[] all = Wire.Join(Wire.Greeting(), Wire.Ready("SUB"), subscription);
        Assert.Equal(all, peer.Read(all.Length));
    }

    [Fact]
    public async Task Nothing_is_received_of_a_partial_message_whose_sender_was_killed()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe([]);
        ZeroMqEndpoint endpoint = subscriber.Bind(AnyPort);
        using (new RawPeer(endpoint).Handshake("PUB").Send(Wire.Message(Wire.Ascii("1"), [], [])[..5]))
        {
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        }

        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        using RawPeer next = new RawPeer(endpoint).Handshake("PUB").Send(Wire.Message(Wire.Ascii("2")));
        Assert.Equal("32", await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task A_silent_peer_is_closed_when_it_answers_no_heartbeat_or_exceeds_its_own_time_to_live()
    {
        await using var rig = new Rig();
        var heartbeat = TimeSpan.FromMilliseconds(100);
        using RawPeer mute = new RawPeer(rig.Publisher(o => o with { HeartbeatInterval = heartbeat }).Bind(AnyPort)).Handshake("SUB");
        Assert.Equal("no answer to heartbeats", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
        using RawPeer dead = new RawPeer(rig.Publisher().Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("PING", 0, 2, (byte)'c'));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUB"), Wire.Command("PONG", (byte)'c'));
        Assert.Equal(expected, dead.Read(expected.Length));
        Assert.Contains("time-to-live", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Closing_with_a_linger_delivers_what_was_published_just_before()
    {
        await using var rig = new Rig(loops: 2);
        await using var other = new Rig();
        LoopPublisher publisher = rig.Publisher();
        LoopSubscriber subscriber = other.Subscriber();
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind(AnyPort).ToString());
        await rig.InterestAsync("+");
        int reached = await rig.OnLoopAsync(() => Enumerable.Range(0, 1000).Sum(_ => rig.Publish(publisher, [Wire.Filled(1000)])));
        ZeroMqCloseReport report = await publisher.CloseAsync(TimeSpan.FromMinutes(2));
        Assert.Equal(1000, reached);
        Assert.Equal(0, report.Undelivered);
        for (int i = 0; i < 1000; i++)
        {
            await other.Messages.TakeAsync();
        }

        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("late")));
        Assert.Throws<ObjectDisposedException>(() => publisher.Bind(AnyPort));
    }

    [Theory]
    [InlineData(100)]
    [InlineData(70_000)]
    public async Task Undelivered_messages_are_counted_exactly_at_a_close(int size)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        using RawPeer stalled = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("SUBSCRIBE"));
        await rig.InterestAsync("+");
        while (publisher.MessagesDropped == 0)
        {
            await rig.OnLoopAsync(() => Enumerable.Range(0, 100).Sum(_ => rig.Publish(publisher, [Wire.Filled(size), [7]])));
        }

        ZeroMqPeer info = Assert.Single(publisher.Peers);
        ZeroMqCloseReport report = await publisher.CloseAsync(TimeSpan.FromMilliseconds(100));
        ZeroMqUndelivered lost = Assert.Single(report.Peers);
        Assert.Equal(info, lost.Peer);
        Assert.Equal(report.Undelivered, lost.Messages);
        byte[] preamble = Wire.Join(Wire.Greeting(), Wire.Ready("PUB"));
        int whole = (stalled.ReadToEnd().Length - preamble.Length) / Wire.Message(Wire.Filled(size), [7]).Length;
        Assert.Equal(info.MessagesSent, whole + lost.Messages);
    }
}
