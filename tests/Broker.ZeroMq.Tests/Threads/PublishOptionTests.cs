using System.Collections.Concurrent;
using System.Text;
using Broker.Transport;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>The options of PUB, XPUB and XSUB that libzmq's users know.</summary>
public sealed class PublishOptionTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public void Rfc29_an_xpub_receives_the_first_subscription_to_a_prefix_and_the_last_cancellation()
    {
        using var pub = new XPublisherSocket();
        string endpoint = pub.Bind(AnyPort);
        using SubscriberSocket one = Subscriber(endpoint, "a");
        Assert.Equal("+a", Read(pub));
        using SubscriberSocket two = Subscriber(endpoint, "a", "b");
        Assert.Equal("+b", Read(pub));
        one.Unsubscribe("a");
        one.Subscribe("c");
        Assert.Equal("+c", Read(pub));
        two.Dispose();
        Assert.Equal(["-a", "-b"], new[] { Read(pub), Read(pub) }.Order());
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void Rfc29_a_verbose_xpub_receives_every_subscription_and_a_verboser_one_every_cancellation(bool verbose, bool verboser)
    {
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { Verbose = verbose, Verboser = verboser });
        string endpoint = pub.Bind(AnyPort);
        using SubscriberSocket one = Subscriber(endpoint, "a");
        Assert.Equal("+a", Read(pub));
        using SubscriberSocket two = Subscriber(endpoint, "a");
        Assert.Equal("+a", Read(pub));
        one.Unsubscribe("a");
        one.Subscribe("b");
        if (verboser)
        {
            Assert.Equal("-a", Read(pub));
        }

        Assert.Equal("+b", Read(pub));
        two.Unsubscribe("a");
        Assert.Equal("-a", Read(pub));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_xpub_receives_a_cancellation_for_a_subscription_that_is_refused(bool manual)
    {
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { Verboser = !manual, Manual = manual, ReceiveHighWaterMark = 0 });
        using RawPeer peer = new RawPeer(Broker.ZeroMq.ZeroMqEndpoint.Parse(pub.Bind(AnyPort))).Handshake("SUB");

        // The last prefix exceeds the total size that one peer may subscribe to.
        byte[][] prefixes = [.. Enumerable.Range(0, 70).Select(i => Wire.Filled(60_000 + i))];
        peer.Send([.. prefixes.Select(prefix => Wire.Command("SUBSCRIBE", prefix))]);
        var wanted = new HashSet<int>();
        int told = 0;
        do
        {
            byte[] change = pub.ReceiveBytes();
            told += change[0];
            Assert.True(change[0] == 1 ? wanted.Add(change.Length) : wanted.Remove(change.Length));
        }
        while (wanted.Count > 0);

        Assert.InRange(told, 2, prefixes.Length);
        Assert.False(pub.TryReceiveString(out _, TimeSpan.FromMilliseconds(20)));
    }

    [Fact]
    public void A_manual_xpub_sends_a_peer_what_its_application_chooses()
    {
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { Manual = true });
        string endpoint = pub.Bind(AnyPort);
        using SubscriberSocket one = Subscriber(endpoint, "asks");
        using var asked = new ZeroMqMessage();
        pub.Receive(asked);
        Assert.Equal("+asks", Show(asked.First));
        pub.Subscribe(asked.Peer!, "gets");

        // The peer filters messages that it has not subscribed to, so it subscribes to this prefix too.
        one.Subscribe("gets");
        pub.Receive(asked);
        ZeroMqPeer peer = asked.Peer!;
        pub.Send("asks"u8);
        pub.Send("gets"u8);
        Assert.Equal("gets", one.ReceiveString());
        pub.Unsubscribe(peer, "gets");
        pub.Subscribe(peer, "asks");
        pub.Send("gets"u8);
        pub.Send("asks"u8);
        Assert.Equal("asks", one.ReceiveString());
        one.Dispose();
        Assert.Equal(["-asks", "-gets"], new[] { Read(pub), Read(pub) }.Order());
        using var plain = new XPublisherSocket();
        Assert.Throws<InvalidOperationException>(() => plain.Subscribe(peer, "x"));
    }

    [Fact]
    public void A_welcome_message_reaches_those_who_have_subscribed_to_it()
    {
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { WelcomeMessage = "welcome"u8.ToArray() });
        using SubscriberSocket sub = Subscriber(pub.Bind(AnyPort), "wel");
        Assert.Equal("welcome", sub.ReceiveString());
    }

    [Fact]
    public void An_upstream_message_of_an_xsub_is_received_by_an_xpub_and_ignored_by_a_pub()
    {
        using var xpub = new XPublisherSocket();
        using var pub = new PublisherSocket();
        using var xsub = new XSubscriberSocket();
        xsub.Connect(xpub.Bind(AnyPort));
        xsub.Connect(pub.Bind(AnyPort));
        xsub.Send([1, (byte)'t']);
        Assert.Equal("+t", Read(xpub));
        xsub.Send("hello"u8, "up there"u8);
        xsub.Send("\u0002");
        Assert.Equal(["hello", "up there"], xpub.ReceiveFrames().Select(Encoding.UTF8.GetString));
        Assert.Equal([2], xpub.ReceiveBytes());
        xpub.Send("t1"u8);
        Assert.Equal("t1", xsub.ReceiveString());
        xsub.Send([0, (byte)'t']);
        Assert.Equal("-t", Read(xpub));
    }

    [Fact]
    public async Task A_proxy_of_xsub_and_xpub_forwards_subscriptions_and_messages()
    {
        using var pub = new XPublisherSocket();
        using var front = new XSubscriberSocket();
        using var back = new XPublisherSocket();
        front.Connect(pub.Bind(AnyPort));
        await using var proxy = ZeroMqProxy.Start(front, back);
        using SubscriberSocket sub = Subscriber(back.Bind(AnyPort), "t");
        Assert.Equal("+t", Read(pub));
        pub.Send("t", "through");
        Assert.Equal(["t", "through"], sub.ReceiveFrames().Select(Encoding.UTF8.GetString));
        sub.Unsubscribe("t");
        Assert.Equal("-t", Read(pub));
    }

    [Fact]
    public void An_xpub_with_no_drop_waits_for_the_slowest_peer_until_it_disconnects()
    {
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { NoDrop = true, SendHighWaterMark = 10 });
        string endpoint = pub.Bind(AnyPort);
        using var slow = new SubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 4 });
        slow.Subscribe("");
        slow.Connect(endpoint);
        Assert.Equal("+", Read(pub));
        byte[] body = new byte[50_000];
        int sent = 0;
        for (int refused = 0; refused < 20;)
        {
            body[0] = (byte)sent;
            bool taken = pub.TrySend(body, TimeSpan.FromMilliseconds(20));
            sent += taken ? 1 : 0;
            refused = taken ? 0 : refused + 1;
        }

        Assert.Equal(0, pub.MessagesDropped);
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal((byte)i, slow.ReceiveBytes()[0]);
        }

        while (pub.TrySend(body, TimeSpan.FromMilliseconds(20)))
        {
        }

        slow.Dispose();
        Assert.True(pub.TrySend(body, Wait.Limit));
        Assert.Equal(0, pub.MessagesDropped);
    }

    [Fact]
    public async Task The_mark_of_a_publisher_counts_messages_and_excess_messages_are_dropped_whole()
    {
        await using var host = ForeignHost.Take();

        // The test has its own loops, because other tests use the memory of the shared loops.
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var context = new ZeroMqContext(loops);
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { SendHighWaterMark = 100, SendHighWaterBytes = 1L << 40 }, context);
        string endpoint = pub.Bind(AnyPort);
        ForeignSocket stuck = await host.SocketAsync("SUB", ("RCVHWM", 1));
        await stuck.ConnectAsync(endpoint);
        await stuck.SubscribeAsync();
        Assert.Equal("+", Read(pub));
        byte[] body = new byte[100_000];
        while (pub.MessagesDropped < 1000)
        {
            pub.Send(body);
        }

        // At most a hundred messages wait, and so the memory is limited.
        Assert.InRange(loops.BufferedBytes, 1, 40_000_000);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_subscriber_that_exceeds_its_subscription_limit_is_refused(bool isExtended)
    {
        using var refusals = new BlockingCollection<string>();
        var options = new XPublisherSocketOptions
        {
            MaxSubscriptionSize = 100,
            MaxSubscriptionsPerPeer = 5,
            MaxSubscriptionBytesPerPeer = 300,
            OnEvent = e => AddRefusal(refusals, e),
        };
        using MessageSocket pub = isExtended
            ? new XPublisherSocket(options)
            : new PublisherSocket(new PublisherSocketOptions
            {
                MaxSubscriptionSize = options.MaxSubscriptionSize,
                MaxSubscriptionsPerPeer = options.MaxSubscriptionsPerPeer,
                MaxSubscriptionBytesPerPeer = options.MaxSubscriptionBytesPerPeer,
                OnEvent = options.OnEvent,
            });
        var endpoint = Broker.ZeroMq.ZeroMqEndpoint.Parse(pub.Bind(AnyPort));
        Refuse([Wire.Filled(101)]);
        Refuse([.. Enumerable.Range(0, 6).Select(i => Wire.Filled(i))]);
        Refuse([.. Enumerable.Range(97, 4).Select(i => Wire.Filled(i))]);

        void Refuse(byte[][] prefixes)
        {
            using RawPeer peer = new RawPeer(endpoint).Handshake("SUB").Send([.. prefixes.Select(prefix => Wire.Command("SUBSCRIBE", prefix))]);
            Assert.True(refusals.TryTake(out _, Wait.Limit));
            peer.ReadToEnd();
        }
    }

    [Fact]
    public void A_stalled_subscriber_is_closed_if_the_option_is_set()
    {
        using var reasons = new BlockingCollection<string>();
        using var pub = new PublisherSocket(new PublisherSocketOptions
        {
            StalledPeerTimeout = TimeSpan.FromMilliseconds(300),
            SendHighWaterBytes = 1 << 20,
            OnEvent = e =>
            {
                if (e.Kind == ZeroMqEventKind.PeerDisconnected)
                {
                    reasons.Add(e.Reason ?? "");
                }
            },
        });
        var endpoint = Broker.ZeroMq.ZeroMqEndpoint.Parse(pub.Bind(AnyPort));
        using RawPeer stalled = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE"));
        byte[] body = new byte[100_000];
        string? reason = null;
        Wait.Until(() =>
        {
            pub.Send(body);
            return reasons.TryTake(out reason);
        });
        Assert.Equal("accepted no data for too long", reason);
    }

    [Fact]
    public void Invalid_options_of_a_publisher_are_refused_by_the_constructor()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new PublisherSocket(new PublisherSocketOptions { MaxSubscriptionSize = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PublisherSocket(new PublisherSocketOptions { MaxSubscriptionMemory = -1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new XPublisherSocket(new XPublisherSocketOptions { StalledPeerTimeout = TimeSpan.Zero }));
    }

    [Fact]
    public async Task Our_xpub_receives_subscriptions_and_upstream_messages_of_a_libzmq_xsub()
    {
        await using var host = ForeignHost.Take();
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { WelcomeMessage = "t-welcome"u8.ToArray() });
        ForeignSocket peer = await host.SocketAsync("XSUB");
        await peer.ConnectAsync(pub.Bind(AnyPort));
        await peer.SendAsync([[1, (byte)'t']]);
        Assert.Equal("+t", Read(pub));
        await peer.SendAsync([[7, 8]]);
        Assert.Equal([7, 8], pub.ReceiveBytes());
        pub.Send("t1"u8);
        Assert.Equal(ForeignSocket.Show("t-welcome"u8.ToArray()).ToJsonString(), await peer.ReceiveAsync());
        Assert.Equal(ForeignSocket.Show("t1"u8.ToArray()).ToJsonString(), await peer.ReceiveAsync());
    }

    [Fact]
    public async Task Our_xsub_sends_upstream_messages_to_a_libzmq_xpub()
    {
        await using var host = ForeignHost.Take();
        using var sub = new XSubscriberSocket();
        ForeignSocket peer = await host.SocketAsync("XPUB");
        sub.Connect(await peer.BindAsync(AnyPort));
        sub.Subscribe("t");
        Assert.Equal("""["0174"]""", await peer.ReceiveAsync());
        sub.Send([9, 9]);
        Assert.Equal("""["0909"]""", await peer.ReceiveAsync());
        await peer.SendAsync(["t!"u8.ToArray()]);
        Assert.Equal("t!", sub.ReceiveString());
    }

    private static SubscriberSocket Subscriber(string endpoint, params string[] prefixes)
    {
        var sub = new SubscriberSocket();
        foreach (string prefix in prefixes)
        {
            sub.Subscribe(prefix);
        }

        sub.Connect(endpoint);
        return sub;
    }

    private static void AddRefusal(BlockingCollection<string> refusals, ZeroMqEvent e)
    {
        if (e.Kind == ZeroMqEventKind.PeerRefused)
        {
            refusals.Add(e.Reason ?? "");
        }
    }

    private static string Read(XPublisherSocket pub) => Show(pub.ReceiveBytes());

    private static string Show(ReadOnlySpan<byte> subscription)
        => (subscription[0] == 1 ? "+" : "-") + Encoding.UTF8.GetString(subscription[1..]);
}
