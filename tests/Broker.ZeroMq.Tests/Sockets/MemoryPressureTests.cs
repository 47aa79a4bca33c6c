using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>
/// The memory for all peers together is limited. A peer that accepts nothing gets at most a share, the others get all
/// their messages, and a refused sender is notified when there is enough memory. The tests drive the loop themselves.
/// Some create memory pressure by counting memory in the budget that nothing uses.
/// </summary>
public sealed class MemoryPressureTests : IDisposable
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Size = 64 * 1024;
    private const long Limit = 8 << 20;

    private readonly EventLoopGroup _loops = new(new EventLoopOptions { CallerDriven = true, MaxBufferedBytes = Limit });
    private readonly List<LoopSocket> _sockets = [];
    private readonly List<RawPeer> _peers = [];
    private readonly InprocNames _names = new();
    private readonly byte[] _body = Wire.Filled(Size);
    private int _writable;

    private EventLoop Loop => _loops[0];

    private MemoryBudget Budget => _loops.MemoryBudget;

    public void Dispose()
    {
        foreach (LoopSocket socket in _sockets)
        {
            Close(socket);
        }

        _peers.ForEach(static peer => peer.Dispose());
        _names.Dispose();
        _loops.Dispose();
    }

    [Fact]
    public void Stopped_subscribers_lose_messages_before_memory_is_exhausted_and_a_reading_one_loses_none()
    {
        const int Stopped = 10;
        const int Rounds = 200;
        LoopPublisher publisher = Publisher();
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        RawPeer healthy = Subscriber(endpoint);
        Turn(() => publisher.Peers.Count == 1);
        ZeroMqPeer healthyInfo = publisher.Peers[0];
        for (int i = 0; i < Stopped; i++)
        {
            Subscriber(endpoint);
        }

        Turn(() => publisher.Publish(Loop, "warm"u8) == Stopped + 1);
        long heard = 0;
        HearAll();
        long[] before = [.. publisher.Peers.Select(peer => peer.MessagesSent)];
        for (int round = 0; round < Rounds; round++)
        {
            publisher.Publish(Loop, _body);
            Assert.InRange(_loops.BufferedBytes, 0, Limit);
            HearAll();
        }

        Assert.True(Budget.IsUnderPressure);
        Assert.Equal(0, healthyInfo.MessagesDropped);
        IReadOnlyList<ZeroMqPeer> peers = publisher.Peers;
        Assert.Equal(Stopped, peers.Count(peer => peer.MessagesDropped > 0));
        Assert.All(peers.Zip(before), both => Assert.Equal(both.Second + Rounds, both.First.MessagesSent + both.First.MessagesDropped));
        Assert.Equal(publisher.MessagesDropped, peers.Sum(peer => peer.MessagesDropped));

        _peers.FindAll(peer => peer != healthy).ForEach(static peer => peer.Dispose());
        Turn(() => publisher.Peers.Count == 1 && !Budget.IsUnderPressure);
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(1, publisher.Publish(Loop, _body));
        }

        HearAll();
        Assert.Equal(0, healthyInfo.MessagesDropped);

        void HearAll() => heard = Hear(healthy, healthyInfo, heard);
    }

    [Fact]
    public void A_publisher_drops_under_memory_pressure_and_continues_afterwards()
    {
        LoopPublisher publisher = Publisher();
        Subscriber(publisher.Bind(AnyPort));
        Turn(() => publisher.Publish(Loop, _body) == 1);
        Fill(() => publisher.Peers[0].PendingBytes, () => publisher.Publish(Loop, _body) == 1);
        long sent = publisher.Peers[0].MessagesSent;

        Budget.Add(Limit);
        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(0, publisher.Publish(Loop, _body));
        }

        Budget.Add(-Limit);
        Assert.Equal(1, publisher.Publish(Loop, _body));
        Assert.Equal((5, 5, sent + 1), (publisher.MessagesDropped, publisher.Peers[0].MessagesDropped, publisher.Peers[0].MessagesSent));
    }

    [Fact]
    public void A_publisher_that_does_not_drop_is_notified_once_after_memory_pressure()
    {
        LoopPublisher publisher = Publisher(o => o with { NoDrop = true });
        publisher.OnWritable = () => _writable++;
        Subscriber(publisher.Bind(AnyPort));
        Turn(() => publisher.Publish(Loop, _body) == 1);
        Fill(() => publisher.Peers[0].PendingBytes, () => publisher.Publish(Loop, _body) == 1);

        AssertRefusedUntilThereIsEnough(() => publisher.Publish(Loop, _body) == 1);
        Assert.Equal(0, publisher.MessagesDropped);
    }

    [Fact]
    public void A_push_is_notified_once_after_memory_pressure()
    {
        LoopPush push = Add(new LoopPush(Loop));
        push.OnWritable = () => _writable++;
        Peer(push.Bind(AnyPort), "PULL");
        Turn(() => push.Peers.Count == 1);
        Fill(() => push.Peers[0].PendingBytes, () => push.TrySend(_body));
        _writable = 0;

        AssertRefusedUntilThereIsEnough(() => push.TrySend(_body));
        Assert.True(push.TrySend(_body));
    }

    [Fact]
    public void A_peer_with_an_empty_queue_gets_each_message_under_memory_pressure()
    {
        LoopPush push = Add(new LoopPush(Loop));
        RawPeer healthy = Peer(push.Bind(AnyPort), "PULL");
        Turn(() => push.Peers.Count == 1);
        long heard = 0;
        Budget.Add(2 * Limit);
        for (int i = 0; i < 20; i++)
        {
            Assert.True(push.TrySend(_body));
            heard = Hear(healthy, push.Peers[0], heard);
        }

        Assert.Equal(20, push.Peers[0].MessagesSent);
    }

    [Fact]
    public void Messages_that_wait_for_a_connection_are_limited_by_the_share_too()
    {
        int taken = 0;
        LoopPush push = Add(new LoopPush(Loop, new LoopMessageOptions { SendHighWaterMark = 0, Inproc = _names }));
        push.OnWritable = () => _writable++;
        push.Connect("inproc://nobody");
        Loop.RunOnce(TimeSpan.Zero);
        byte[] body = new byte[1000];
        Budget.Add(2 * Limit);
        while (push.TrySend(body))
        {
            Assert.InRange(++taken, 1, 1000);
        }

        // As many bytes as fit into 16 KiB with a header of nine bytes each.
        Assert.Equal(16, taken);
        Assert.InRange(Budget.BufferedBytes, (2 * Limit) + (taken * 1000), (2 * Limit) + (256 * 1024));
        Loop.RunOnce(TimeSpan.Zero);
        Assert.Equal(0, _writable);
        Budget.Add(-2 * Limit);
        Turn(() => _writable == 1);
        for (int i = 0; i < 1000; i++)
        {
            Assert.True(push.TrySend(body));
        }

        Assert.Equal(taken + 1000, Close(push).Undelivered);
        Assert.InRange(Budget.BufferedBytes, -Budget.Granularity, Budget.Granularity);
    }

    [Fact]
    public void A_router_drops_for_a_peer_beyond_its_share_and_counts()
    {
        byte[] id = "peer"u8.ToArray();
        LoopRouter router = Add(new LoopRouter(Loop, static (_, in _) => true));
        _peers.Add(new RawPeer(router.Bind(AnyPort)).Send(Wire.Greeting(), Wire.Ready("DEALER", Wire.Property("Identity", id))));
        Turn(() => router.Peers.Count == 1);
        Fill(() => router.Peers[0].PendingBytes, () => router.SendTo(id, _body) == RouteResult.Sent);

        Budget.Add(Limit);
        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(RouteResult.Dropped, router.SendTo(id, _body));
        }

        Budget.Add(-Limit);
        Turn(() => router.SendTo(id, _body) == RouteResult.Sent);
        Assert.InRange(router.MessagesDropped, 5, long.MaxValue);
    }

    [Fact]
    public void Upstream_messages_beyond_the_share_are_dropped_and_counted()
    {
        LoopSubscriber subscriber = Add(new LoopSubscriber(_loops, static (_, in _) => true, new LoopSubscriberOptions { AnnounceExtended = true }));
        Peer(subscriber.Bind(AnyPort), "XPUB");
        Turn(() => subscriber.Peers.Count == 1);
        byte[] message = Wire.Message(_body);
        Fill(() => subscriber.Peers[0].PendingBytes, () => subscriber.SendUpstream(Loop, message) == 1);

        Budget.Add(Limit);
        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(0, subscriber.SendUpstream(Loop, message));
        }

        Budget.Add(-Limit);
        Assert.Equal(1, subscriber.SendUpstream(Loop, message));
        Assert.Equal(5, subscriber.MessagesDropped);
    }

    [Fact]
    public void A_thread_that_waits_because_of_memory_pressure_continues_afterwards()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, MaxBufferedBytes = Limit });
        using var context = new ZeroMqContext(loops);
        using var push = new PushSocket(new ZeroMqSocketOptions { Linger = TimeSpan.Zero, SendTimeout = Wait.Limit }, context);
        using RawPeer stopped = new RawPeer(ZeroMqEndpoint.Parse(push.Bind(AnyPort))).Handshake("PULL");
        byte[] body = Wire.Filled(16 * 1024);

        // One by one: messages that are sent while the loop has no processor time use memory too and would cause
        // pressure too early.
        for (int sent = 1; push.GetCounts().PendingBytes < 1 << 20; sent++)
        {
            push.Send(body);
            Wait.Until(() => push.GetCounts().MessagesSent == sent);
        }

        Assert.False(loops.MemoryBudget.IsUnderPressure);

        loops.MemoryBudget.Add(Limit);
        bool all = true;
        var sender = new Thread(() =>
        {
            for (int i = 0; i < 20; i++)
            {
                all &= push.TrySend(body, Wait.Limit);
            }
        });
        sender.Start();

        // Not even these messages are accepted.
        Wait.Until(() => !push.HasRoom);
        Assert.True(sender.IsAlive);
        loops.MemoryBudget.Add(-Limit);
        Assert.True(sender.Join(Wait.Limit));
        Assert.True(all);
    }

    // A peer that accepts nothing: more is queued for it than the system can accept at once.
    private void Fill(Func<long> pending, Func<bool> send)
    {
        for (int turns = 0; pending() < 1 << 20; turns++)
        {
            Assert.InRange(turns, 0, 10_000);
            Assert.True(send());
            Loop.RunOnce(TimeSpan.Zero);
        }

        Assert.False(Budget.IsUnderPressure);
    }

    private void AssertRefusedUntilThereIsEnough(Func<bool> send)
    {
        Budget.Add(Limit);
        Assert.False(send());
        Turns();
        Assert.Equal(0, _writable);
        Budget.Add(-Limit);
        Turn(() => _writable > 0);
        Turns();
        Assert.Equal(1, _writable);
        Assert.True(send());

        void Turns()
        {
            for (int i = 0; i < 5; i++)
            {
                Loop.RunOnce(TimeSpan.Zero);
            }
        }
    }

    // Reads everything that was sent to the peer and returns the number of bytes.
    private long Hear(RawPeer peer, ZeroMqPeer info, long heard)
    {
        Loop.RunOnce(TimeSpan.Zero);
        long all = info.Session.Connection.FlushedBytes;
        Task<byte[]> read = Task.Run(() => peer.Read(checked((int)(all - heard))));
        Turn(() => read.IsCompleted && info.PendingBytes == 0);
        Assert.True(read.IsCompletedSuccessfully);
        return all;
    }

    private ZeroMqCloseReport Close(LoopSocket socket)
    {
        Task<ZeroMqCloseReport> closed = socket.CloseAsync(TimeSpan.Zero);
        Turn(() => closed.IsCompleted);
        return closed.GetAwaiter().GetResult();
    }

    private void Turn(Func<bool> until) => Wait.Until(() =>
    {
        Loop.RunOnce(TimeSpan.FromMilliseconds(1));
        return until();
    });

    private LoopPublisher Publisher(Func<LoopPublisherOptions, LoopPublisherOptions>? change = null)
    {
        var options = new LoopPublisherOptions { HighWaterMark = 64 << 20 };
        return Add(new LoopPublisher(_loops, change is null ? options : change(options)));
    }

    private RawPeer Subscriber(ZeroMqEndpoint endpoint) => Peer(endpoint, "SUB").Send(Wire.Command("SUBSCRIBE"));

    private RawPeer Peer(ZeroMqEndpoint endpoint, string type)
    {
        RawPeer peer = new RawPeer(endpoint).Handshake(type);
        _peers.Add(peer);
        return peer;
    }

    private T Add<T>(T socket)
        where T : LoopSocket
    {
        _sockets.Add(socket);
        return socket;
    }
}
