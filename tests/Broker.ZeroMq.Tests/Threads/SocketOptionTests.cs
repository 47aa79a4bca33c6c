using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>The options of the thread-safe sockets, except those of PUB and XPUB.</summary>
public sealed class SocketOptionTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public void A_mandatory_router_throws_for_an_unknown_routing_id()
    {
        using var router = new RouterSocket(new RouterSocketOptions { Mandatory = true });
        using var dealer = new DealerSocket(new ZeroMqSocketOptions { RoutingId = "d"u8.ToArray(), ProbeRouter = true });
        Assert.Throws<ZeroMqUnroutableException>(() => router.Send("nobody", "hello"));
        Assert.Throws<ZeroMqUnroutableException>(() => router.TrySend("nobody"u8, "hello"u8));
        dealer.Connect(router.Bind(AnyPort));
        Assert.Equal(["d", ""], router.ReceiveFrames().Select(Encoding.UTF8.GetString));
        Assert.Throws<ZeroMqUnroutableException>(() => router.Send("d"u8));
        router.Send("d", "hello");
        Assert.Equal("hello", dealer.ReceiveString());
        Assert.Equal(0, router.MessagesDropped);
    }

    [Fact]
    public void A_mandatory_router_waits_for_a_full_peer_until_it_disconnects()
    {
        using var router = new RouterSocket(new RouterSocketOptions { Mandatory = true, SendHighWaterMark = 4 });
        using var slow = new DealerSocket(
            new ZeroMqSocketOptions { RoutingId = "slow"u8.ToArray(), ProbeRouter = true, ReceiveHighWaterMark = 4, Linger = TimeSpan.Zero });
        using var quick = new DealerSocket(new ZeroMqSocketOptions { RoutingId = "quick"u8.ToArray(), ProbeRouter = true });
        string endpoint = router.Bind(AnyPort);
        slow.Connect(endpoint);
        quick.Connect(endpoint);
        router.ReceiveFrames();
        router.ReceiveFrames();
        byte[] body = new byte[100_000];
        int sent = 0;
        for (int refused = 0; refused < 20;)
        {
            bool taken = router.TrySend("slow"u8, body, TimeSpan.FromMilliseconds(20));
            sent += taken ? 1 : 0;
            refused = taken ? 0 : refused + 1;
        }

        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(body.Length, slow.ReceiveBytes().Length);
        }

        Assert.Equal(0, router.MessagesDropped);
        while (router.TrySend("slow"u8, body, TimeSpan.FromMilliseconds(20)))
        {
        }

        slow.Dispose();
        Assert.True(router.TrySend("quick"u8, "free"u8, Wait.Limit));
        Assert.Equal("free", quick.ReceiveString());
    }

    [Fact]
    public void A_router_with_handover_gives_the_id_to_the_new_peer()
    {
        using var router = new RouterSocket(new RouterSocketOptions { Handover = true });
        var options = new ZeroMqSocketOptions { RoutingId = "same"u8.ToArray(), ReconnectInitial = Timeout.InfiniteTimeSpan };
        using var first = new DealerSocket(options);
        using var second = new DealerSocket(options);
        string endpoint = router.Bind(AnyPort);
        first.Connect(endpoint);
        first.Send("1"u8);
        Assert.Equal(["same", "1"], router.ReceiveFrames().Select(Encoding.UTF8.GetString));
        second.Connect(endpoint);
        second.Send("2"u8);
        Assert.Equal(["same", "2"], router.ReceiveFrames().Select(Encoding.UTF8.GetString));
        router.Send("same", "for the second");
        Assert.Equal("for the second", second.ReceiveString());
    }

    [Fact]
    public void A_poller_calls_a_sender_with_room_until_it_is_removed()
    {
        using var pair = new PushPull(new ZeroMqSocketOptions { SendHighWaterMark = 5, ReceiveHighWaterMark = 5 });
        using var poller = new ZeroMqPoller();
        byte[] body = new byte[20_000];
        int sent = 0;
        int received = 0;
        poller.AddSender(pair.Push, push =>
        {
            if (push.TrySend(body) && ++sent == 1000)
            {
                Assert.True(poller.RemoveSender(push));
                Assert.False(poller.RemoveSender(push));
            }
        });
        Assert.Throws<InvalidOperationException>(() => poller.AddSender(pair.Push, _ => { }));
        poller.Add(pair.Pull, pull =>
        {
            pull.Receive(body);
            if (++received == 1000)
            {
                poller.Stop();
            }
        });
        poller.Run(TestContext.Current.CancellationToken);
        Assert.Equal((1000, 1000), (sent, received));
    }

    [Fact]
    public async Task A_poller_that_only_waits_for_room_is_woken_by_a_new_peer()
    {
        using var push = new PushSocket();
        using var poller = new ZeroMqPoller();
        poller.AddSender(push, socket =>
        {
            Assert.True(socket.TrySend("now"u8));
            poller.Stop();
        });
        string endpoint = push.Bind(AnyPort);
        var run = Task.Run(() => poller.Run(TestContext.Current.CancellationToken), TestContext.Current.CancellationToken);
        using var pull = new PullSocket();
        pull.Connect(endpoint);
        await Wait.For(run);
        Assert.Equal("now", pull.ReceiveString());
    }

    [Fact]
    public async Task A_socket_without_reconnects_makes_one_attempt()
    {
        var events = new Inbox<ZeroMqEvent>();
        var first = new PullSocket();
        string endpoint = first.Bind("ipc://*");
        using var push = new PushSocket(new ZeroMqSocketOptions { ReconnectInitial = Timeout.InfiniteTimeSpan, OnEvent = events.Add, Linger = TimeSpan.Zero });
        push.Connect(endpoint);
        await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerConnected);
        await first.DisposeAsync();
        await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerDisconnected);
        using var second = new PullSocket(new ZeroMqSocketOptions { OnEvent = events.Add });
        second.Bind(endpoint);
        using var other = new PushSocket();
        other.Connect(endpoint);
        other.Send("from another");
        push.TrySend("never"u8);
        Assert.Equal("from another", second.ReceiveString());
        Assert.Equal(1, second.ConnectionCount);
    }

    [Fact]
    public void A_receiver_stops_at_its_mark_in_bytes_and_loses_nothing()
    {
        const int Bound = 256 * 1024;
        const int FarBeyond = 20_000;
        using var pull = new PullSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 0, ReceiveHighWaterBytes = Bound });
        using var push = new PushSocket(new ZeroMqSocketOptions { SendHighWaterMark = 10, Linger = TimeSpan.Zero });
        push.Connect(pull.Bind(AnyPort));
        byte[] body = new byte[10_000];
        int sent = 0;
        while (push.TrySend(body, TimeSpan.FromMilliseconds(200)))
        {
            Assert.True(++sent < FarBeyond, "Nothing holds the sender up.");
        }

        // The receiver's loop may be slower than a sender that fills the kernel's buffers.
        Wait.Until(() => pull.Receiver.Queue.BufferedBytes > 0, "what was sent");

        // One read of the peer, and the rounding to whole chunks, may exceed the limit.
        Assert.InRange(pull.Receiver.Queue.BufferedBytes, 1, 2 * Bound);
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(body.Length, pull.ReceiveBytes().Length);
        }
    }

    [Fact]
    public async Task A_connection_attempt_that_exceeds_its_timeout_is_repeated()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere a full queue of a listener refuses.");
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(0);
        var endpoint = (IPEndPoint)listener.LocalEndPoint!;

        // The listener's queue has one place, which the first connection takes. A later one gets no answer.
        using var first = new TcpClient();
        await first.ConnectAsync(endpoint, TestContext.Current.CancellationToken);
        var events = new Inbox<ZeroMqEvent>();
        using var push = new PushSocket(new ZeroMqSocketOptions
        {
            ConnectTimeout = TimeSpan.FromMilliseconds(50),
            ReconnectInitial = TimeSpan.FromMilliseconds(1),
            Linger = TimeSpan.Zero,
            OnEvent = events.Add,
        });
        push.Connect(string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{endpoint.Port}"));
        ZeroMqEvent failed = await events.TakeAsync(e => e.Kind == ZeroMqEventKind.ConnectFailed);
        Assert.Equal("no connection within the connect timeout", failed.Reason);
        using Socket accepted = await Wait.For(listener.AcceptAsync(TestContext.Current.CancellationToken).AsTask());

        // An event of a connection that was made at the last moment may precede it.
        await Wait.UntilAsync(
            async () =>
            {
                using Socket next = await Wait.For(listener.AcceptAsync(TestContext.Current.CancellationToken).AsTask());
                try
                {
                    return await Wait.For(next.ReceiveAsync(new byte[1], TestContext.Current.CancellationToken).AsTask()) == 1;
                }
                catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
                {
                    return false;
                }
            },
            "a greeting");
    }

    [Fact]
    public async Task Each_wait_before_a_reconnect_is_reported_with_its_length()
    {
        // A socket that is bound and does not listen refuses each attempt.
        using var refusing = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        refusing.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string endpoint = string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{((IPEndPoint)refusing.LocalEndPoint!).Port}");
        var waits = new Inbox<(string Endpoint, TimeSpan Length)>();
        using var push = new PushSocket(new ZeroMqSocketOptions
        {
            ReconnectInitial = TimeSpan.FromMilliseconds(2),
            ReconnectMax = TimeSpan.FromMilliseconds(8),
            Linger = TimeSpan.Zero,
            OnReconnect = (where, length) =>
            {
                waits.Add((where, length));
                throw new InvalidOperationException("ignored");
            },
        });
        push.Connect(endpoint);
        foreach (int longest in new[] { 2, 4, 8, 8 })
        {
            (string where, TimeSpan length) = await waits.TakeAsync();
            Assert.Equal(endpoint, where);
            Assert.InRange(length.TotalMilliseconds, longest / 2.0, longest);
        }
    }

    [Fact]
    public async Task The_reconnect_interval_grows_up_to_its_maximum()
    {
        // If the wait doubled each time without a limit, the last waits would be years.
        const int Attempts = 40;
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var push = new PushSocket(new ZeroMqSocketOptions
        {
            ReconnectInitial = TimeSpan.FromMilliseconds(1),
            ReconnectMax = TimeSpan.FromMilliseconds(4),
            Linger = TimeSpan.Zero,
        });
        push.Connect(string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}"));
        for (int i = 0; i < Attempts; i++)
        {
            using Socket turnedAway = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask());
        }
    }

    [Fact]
    public void Options_out_of_their_range_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new PushSocket(new ZeroMqSocketOptions { Linger = TimeSpan.FromSeconds(-2) }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PushSocket(new ZeroMqSocketOptions { ConnectTimeout = TimeSpan.Zero }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PushSocket(new ZeroMqSocketOptions { ReconnectInitial = TimeSpan.FromSeconds(-2) }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PushSocket(new ZeroMqSocketOptions { SendHighWaterMark = -1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PushSocket(new ZeroMqSocketOptions { HeartbeatTtl = TimeSpan.FromHours(2) }));
    }
}
