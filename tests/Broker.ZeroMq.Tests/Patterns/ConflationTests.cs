using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Queues;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>Conflation: only the newest message is kept (libzmq: ZMQ_CONFLATE).</summary>
public sealed class ConflationTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Large = 100_000;
    private const int Count = 1000;

    [Fact]
    public async Task Only_the_newest_message_queued_for_an_endpoint_is_sent_after_it_was_bound()
    {
        await using var rig = new Rig();
        LoopPush push = rig.Push(o => o with { Conflate = true });
        string endpoint = "ipc:///tmp/zmq-" + Guid.NewGuid().ToString("N");
        push.Connect(endpoint);
        await rig.DoAsync(() =>
        {
            for (byte i = 0; i < 100; i++)
            {
                Assert.True(push.TrySend([i]));
            }
        });
        rig.Pull().Bind(endpoint);
        Assert.Equal("63", await rig.Messages.TakeAsync());
        await rig.DoAsync(() => Assert.True(push.TrySend([200])));
        Assert.Equal("c8", await rig.Messages.TakeAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Only_the_newest_message_is_kept_for_a_peer_that_does_not_receive(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        var got = new Inbox<int>();
        LoopPull pull = rig.Pull(onMessage: Taker(got));
        LoopPush push = rig.Push(o => o with { Conflate = true, SendHighWaterMark = 2 });
        push.Connect(pull.Bind(AnyPort).ToString());
        await rig.ConnectedAsync();
        await rig.DoAsync(pull.PauseReceiving);
        for (int i = 0; i < Count; i++)
        {
            int number = i;
            Assert.True(await rig.OnLoopAsync(() => push.TrySend(BitConverter.GetBytes(number), new byte[Large])));
        }

        Assert.InRange(rig.Loops.BufferedBytes, 0, 20 * Large);
        await rig.DoAsync(pull.ResumeReceiving);
        await CheckAsync(got);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_subscriber_that_is_too_slow_gets_the_newest_published_message(int loops)
    {
        await using var rig = new Rig(loops);
        await using var other = new Rig();
        var got = new Inbox<int>();
        LoopPublisher publisher = rig.Publisher(o => o with { Conflate = true });
        LoopSubscriber subscriber = other.Subscriber(onMessage: Taker(got));
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind(AnyPort).ToString());
        await rig.InterestAsync("+");
        await Wait.UntilAsync(
            () => other.OnLoopAsync(() =>
            {
                foreach (ZeroMqPeer peer in subscriber.Peers)
                {
                    peer.PauseReceiving();
                }

                return subscriber.Peers.Count > 0;
            }),
            "the publisher at the subscriber");

        for (int i = 0; i < Count; i++)
        {
            int number = i;
            Assert.Equal(1, await rig.OnLoopAsync(() => rig.Publish(publisher, [BitConverter.GetBytes(number), new byte[Large]])));
        }

        Assert.InRange(rig.Loops.BufferedBytes, 0, 20 * Large);
        Assert.Equal(0, publisher.MessagesDropped);

        // The kernel's buffers take some messages, and the others are replaced.
        Assert.InRange(publisher.GetCounts().MessagesSent, 1, Count / 2);
        await other.DoAsync(() => subscriber.Peers.Single().ResumeReceiving());
        await CheckAsync(got);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_subscriber_that_keeps_up_gets_one_message_of_a_burst_of_one_iteration(int loops)
    {
        await using var rig = new Rig(loops);
        await using var other = new Rig();
        var got = new Inbox<int>();
        LoopPublisher publisher = rig.Publisher(o => o with { Conflate = true });
        LoopSubscriber subscriber = other.Subscriber(onMessage: Taker(got));
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind(AnyPort).ToString());
        await rig.InterestAsync("+");
        int[] ends = new int[10];
        for (int burst = 0; burst < ends.Length; burst++)
        {
            ends[burst] = ((burst + 1) * Count) - 1;
            int first = burst * Count;
            await rig.DoAsync(() =>
            {
                for (int i = 0; i < Count; i++)
                {
                    rig.Publish(publisher, [BitConverter.GetBytes(first + i)]);
                }
            });
            int last;
            do
            {
                last = await got.TakeAsync();

                // The peer's loop may run between two messages of a loop beside it.
                Assert.True(loops > 1 || last == ends[burst], $"{last} came before the last message of its burst");
            }
            while (last != ends[burst]);
        }

        Assert.Empty(got.TakeAll());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task The_last_message_before_a_close_with_a_linger_arrives(int loops)
    {
        await using var rig = new Rig(loops);
        await using var other = new Rig();
        var got = new Inbox<int>();
        LoopPublisher publisher = rig.Publisher(o => o with { Conflate = true });
        LoopSubscriber subscriber = other.Subscriber(onMessage: Taker(got));
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind(AnyPort).ToString());
        await rig.InterestAsync("+");
        Task<ZeroMqCloseReport>? closing = null;
        await rig.DoAsync(() =>
        {
            rig.Publish(publisher, [BitConverter.GetBytes(1)]);
            rig.Publish(publisher, [BitConverter.GetBytes(2)]);
            closing = publisher.CloseAsync(Wait.Limit);
        });
        await closing!;
        while (await got.TakeAsync() != 2)
        {
        }
    }

    [Fact]
    public void A_receiver_gets_the_newest_message_of_a_peer()
    {
        var bench = new Bench(conflates: true);
        ReceiveSource one = bench.Source();
        ReceiveSource other = bench.Source();
        bench.Add(one, Bench.Numbers(0, 50), 50);
        Assert.Equal(49, bench.TakeNumber());
        Assert.Equal(-1, bench.TakeNumber());
        bench.Add(one, Bench.Numbers(100, 2), 2);
        bench.Add(other, Bench.Numbers(1000, 2), 2);
        Assert.Equal(101, bench.TakeNumber());

        // The receivers take over the chunk that is replaced.
        bench.Add(other, Bench.Numbers(1002, 1), 1);
        bench.Add(one, Bench.Numbers(102, 1), 1);
        bench.Add(one, Bench.Numbers(103, 1), 1);
        Assert.Equal([103, 1002], new[] { bench.TakeNumber(), bench.TakeNumber() }.Order());
        Assert.Equal(-1, bench.TakeNumber());
        bench.Queue.Close();
        Assert.Equal(0, bench.Pool.Outstanding);
    }

    [Fact]
    public void Thread_safe_sockets_conflate_in_both_directions()
    {
        var options = new ZeroMqSocketOptions { Conflate = true };
        using var pull = new PullSocket(options);
        using var push = new PushSocket(options);
        push.Connect(pull.Bind(AnyPort));
        int last = -1;
        for (int i = 0; i < 10_000; i++)
        {
            push.Send(BitConverter.GetBytes(i));
        }

        while (last != 9_999)
        {
            int number = BitConverter.ToInt32(pull.ReceiveBytes());
            Assert.InRange(number, last + 1, 9_999);
            last = number;
        }

        Assert.False(pull.HasMessages);
    }

    [Fact]
    public async Task Sockets_that_need_all_messages_refuse_conflation()
    {
        await using var rig = new Rig();
        var options = new ZeroMqSocketOptions { Conflate = true };
        Assert.Throws<ArgumentException>(() => new ResponseSocket(options));
        Assert.Throws<ArgumentException>(() => new PairSocket(options));
        Assert.Throws<ArgumentException>(() => new XSubscriberSocket(options));
        Assert.Throws<ArgumentException>(() => new XPublisherSocket(new XPublisherSocketOptions { Conflate = true }));
        Assert.Throws<ArgumentException>(() => rig.Req(o => o with { Conflate = true }));
        Assert.Throws<ArgumentException>(() => rig.Router(o => o with { Conflate = true }));
    }

    private static ZeroMqMessageHandler Taker(Inbox<int> into) => (ZeroMqPeer _, in ZmtpMessage message) =>
    {
        into.Add(BitConverter.ToInt32(message.FirstFrame.Body));
        return true;
    };

    // The messages in the kernel's buffers, and the last message.
    private static async Task CheckAsync(Inbox<int> got)
    {
        int count = 0;
        for (int last = -1; last != Count - 1; count++)
        {
            int number = await got.TakeAsync();
            Assert.InRange(number, last + 1, Count - 1);
            last = number;
        }

        Assert.InRange(count, 1, Count / 2);
        Assert.Empty(got.TakeAll());
    }
}
