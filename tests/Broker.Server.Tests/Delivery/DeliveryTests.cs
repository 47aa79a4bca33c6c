using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

public sealed class DeliveryTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1, 1, 1, false)]
    [InlineData(1, 8, 1, false)]
    [InlineData(8, 1, 1, false)]
    [InlineData(6, 6, 1, false)]
    [InlineData(6, 6, 4, false)]
    [InlineData(6, 6, 2, true)]
    public async Task Every_subscriber_receives_all_messages_in_the_order_of_each_publisher(int publishers, int subscribers, int loops, bool portable)
    {
        await using BrokerServer server = await Servers.StartAsync(
            o => o.LoopOptions = new EventLoopOptions { Loops = loops, ForcePortable = portable });
        const int Each = 3_000;
        RawClient[] to = [.. Enumerable.Range(0, subscribers).Select(_ => RawClient.Open(server))];
        foreach ((RawClient subscriber, int i) in to.Select((c, i) => (c, i)))
        {
            subscriber.Send((i % 3) switch { 0 => "SUB p.* 1\r\n", 1 => "SUB > 1\r\n", _ => "SUB p.> 1\r\n" });
            subscriber.Sync();
        }

        Task[] reading = [.. to.Select(c => Task.Factory.StartNew(() => Read(c), Ct, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        Thread[] writing = [.. Enumerable.Range(0, publishers).Select(p => new Thread(() =>
        {
            using var from = RawClient.Open(server);
            for (int i = 0; i < Each; i++)
            {
                string body = Body(p, i);
                from.Send($"PUB p.{p} {body.Length}\r\n{body}\r\n");
            }

            from.Sync();
        }))];
        Array.ForEach(writing, t => t.Start());
        await Wait.For(Task.WhenAll(reading));
        Array.ForEach(writing, t => t.Join());
        ServerSnapshot counts = server.Snapshot();
        Assert.Equal(publishers * Each, counts.MessagesIn);
        Assert.Equal((long)publishers * Each * subscribers, counts.MessagesOut);
        Assert.All(to, c => Assert.Equal("", c.Sync()));
        Array.ForEach(to, c => c.Dispose());

        void Read(RawClient client)
        {
            int[] next = new int[publishers];
            for (int left = publishers * Each; left > 0; left--)
            {
                (string[] words, byte[] payload) = client.ReadMessage();
                int publisher = int.Parse(words[1].AsSpan(2), CultureInfo.InvariantCulture);
                Assert.Equal(Body(publisher, next[publisher]++), Encoding.Latin1.GetString(payload));
            }
        }
    }

    // Sizes around block sizes, and payloads with words of the protocol.
    private static string Body(int publisher, int number)
        => $"{publisher}/{number}/PUB p.0 3\r\nabc\r\nMSG ".PadRight(40 + ((publisher * 131 + number * 17) % (number % 100 == 0 ? 70_000 : 300)), 'x');

    // More subjects than are stored at their first use. Their routes are for single messages, and one route serves
    // consecutive messages.
    [Fact]
    public async Task Messages_to_subjects_that_are_used_once_arrive_with_their_subjects()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        using var publisher = RawClient.Open(server);
        using var subscriber = RawClient.Open(server);
        const int Remembered = 2_000;
        const int Rounds = 20;
        const int Each = 300;
        publisher.Send(string.Concat(Enumerable.Range(0, Remembered).Select(i => $"PUB other.{i} 0\r\n\r\n")));
        publisher.Sync();
        int number = 0;
        for (int round = 0; round < Rounds; round++)
        {
            // A subscription other than the one of the previous route.
            subscriber.Send($"SUB a.> a{round}\r\nSUB b.> b{round}\r\n");
            subscriber.Sync();
            var text = new StringBuilder();
            var expected = new List<string>();
            for (int i = 0; i < Each; i++, number++)
            {
                string to = i % 7 < 4 ? "a" : "b";
                string name = $"{to}.{number}{new string('x', number % 40)}";
                for (int times = number % 5 == 0 ? 2 : 1; times > 0; times--)
                {
                    text.Append(CultureInfo.InvariantCulture, $"PUB {name} 3\r\nabc\r\n");
                    expected.Add($"{name} {to}{round}");
                }
            }

            publisher.Send(text.ToString());
            publisher.Sync();
            Assert.Equal(expected, expected.Select(_ => string.Join(' ', subscriber.ReadMessage().Words[1..3])));
            subscriber.Send($"UNSUB a{round}\r\nUNSUB b{round}\r\n");
            Assert.Equal("", subscriber.Sync());
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Payloads_up_to_the_limit_arrive_complete(bool portable)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { ForcePortable = portable });
        using var client = RawClient.Open(server, RawClient.WithHeaders);
        client.Send("SUB a 1\r\n");
        foreach (int size in new[] { 0, 1, 4_000, 4_096, 65_520, 65_536, 65_537, 300_000, 512 * 1024, 1024 * 1024 - 1, 1024 * 1024 })
        {
            byte[] body = new byte[size];
            new Random(size).NextBytes(body);
            client.Send($"PUB a {size}\r\n");
            client.Send(body);
            client.Send("\r\n");
            Assert.Equal(body, client.ReadMessage().Payload);
        }
    }

    [Fact]
    public async Task Only_the_reader_that_stops_reading_is_disconnected_and_it_is_counted_and_logged_once()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.MaxPending = 2 * 1024 * 1024;
            o.Logger = log;
        });
        using var stuck = RawClient.Open(server, receiveBuffer: 8192);
        stuck.Send("SUB a 1\r\nSUB a 2\r\n");
        stuck.Sync();
        using var healthy = RawClient.Open(server);
        healthy.Send("SUB a 1\r\n");
        healthy.Sync();
        using var publisher = RawClient.Open(server);
        const int Count = 40_000;
        const int Batch = 100;
        string body = new('x', 512);
        for (int i = 0; i < Count; i += Batch)
        {
            publisher.Send(string.Concat(Enumerable.Repeat($"PUB a 512\r\n{body}\r\n", Batch)));
            Assert.Equal("", publisher.Sync());
            // The publisher waits for the healthy reader. Otherwise that reader could exceed the limit too on a slow
            // machine.
            for (int read = 0; read < Batch; read++)
            {
                Assert.Equal(512, healthy.ReadMessage().Payload.Length);
            }
        }

        await Wait.UntilAsync(() => server.Snapshot().SlowConsumers == 1, "the stuck client to be disconnected");
        await Wait.UntilAsync(() => server.Snapshot().Connections == 2, "and gone");
        Assert.Single(log.Warnings, w => w.Contains("slow consumer", StringComparison.Ordinal));
        Assert.Single(log.Warnings);
        Assert.Equal(1, server.Snapshot().SlowConsumers);
        Assert.Equal(1, server.Snapshot().Subscriptions);
    }

    [Fact]
    public async Task A_reader_that_reads_nothing_is_disconnected_at_the_write_deadline()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.WriteDeadline = TimeSpan.FromMilliseconds(300);
            o.Logger = log;
        });
        using var stuck = RawClient.Open(server, receiveBuffer: 8192);
        stuck.Send("SUB a 1\r\n");
        stuck.Sync();
        using var publisher = RawClient.Open(server);
        publisher.Send(string.Concat(Enumerable.Repeat($"PUB a 512\r\n{new string('x', 512)}\r\n", 20_000)));
        Assert.Equal("", publisher.Sync());
        await Wait.UntilAsync(() => server.Snapshot().SlowConsumers == 1, "the stuck client to be disconnected");
        Assert.Equal("", publisher.Sync());
        Assert.Single(log.Warnings);
    }

    [Fact]
    public async Task The_limit_of_a_subscription_is_exact_with_several_loops()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 4 });
        using var reader = RawClient.Open(server);
        RawClient[] writers = [.. Enumerable.Range(0, 6).Select(_ => RawClient.Open(server))];
        for (int round = 1; round <= 40; round++)
        {
            int max = round * 7;
            // The same sid is used again directly after its last message, because it is free then.
            reader.Send($"SUB a 1\r\nUNSUB 1 {max}\r\n");
            Assert.Equal("", reader.Sync());
            Thread[] threads = [.. writers.Select(w => new Thread(() =>
            {
                w.Send(string.Concat(Enumerable.Repeat("PUB a 1\r\nx\r\n", max)));
                w.Sync();
            }))];
            Array.ForEach(threads, t => t.Start());
            for (int i = 0; i < max; i++)
            {
                Assert.Equal("a", reader.ReadMessage().Words[1]);
            }

            Array.ForEach(threads, t => t.Join());
            Assert.Equal("", reader.Sync());
        }

        await Wait.UntilAsync(() => server.Snapshot().Subscriptions == 0, "all subscriptions to be removed");
        Array.ForEach(writers, w => w.Dispose());
    }

    [Fact]
    public async Task A_sid_can_be_used_again_as_soon_as_its_last_message_has_arrived()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 2 });
        using var reader = RawClient.Open(server);
        using var writer = RawClient.Open(server);
        for (int i = 0; i < 3_000; i++)
        {
            reader.Send("SUB a 1\r\nUNSUB 1 1\r\n");
            Assert.Equal("", reader.Sync());
            writer.Send("PUB a 1\r\nx\r\n");
            Assert.Equal("a", reader.ReadMessage().Words[1]);
        }
    }

    [Fact]
    public async Task Subscribing_on_one_loop_while_others_publish_takes_effect_exactly()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 4 });
        using var changing = RawClient.Open(server);
        Thread[] publishing = [.. Enumerable.Range(0, 3).Select(p => new Thread(() =>
        {
            using var client = RawClient.Open(server);
            // The number of messages for one reader stays below the limit of its queue.
            for (int batch = 0; batch < 300; batch++)
            {
                client.Send(string.Concat(Enumerable.Range(0, 50).Select(i => $"PUB s.{i} 1\r\nx\r\n")));
                client.Sync();
            }
        }))];
        Array.ForEach(publishing, t => t.Start());
        var random = new Random(Seed.Next());
        var live = new HashSet<int>();
        for (int i = 0; i < 20_000; i++)
        {
            int sid = random.Next(24);
            string filter = sid % 3 == 0 ? "s.*" : sid % 3 == 1 ? "s.>" : $"s.{sid % 50}";
            changing.Send(live.Remove(sid) ? $"UNSUB {sid}\r\n" : live.Add(sid) ? $"SUB {filter} {sid}\r\n" : "");
            if (i % 200 == 0)
            {
                changing.Sync();
            }
        }

        Array.ForEach(publishing, t => t.Join());
        changing.Sync();
        Assert.Equal(live.Count, server.Snapshot().Subscriptions);
        using var last = RawClient.Open(server);
        last.Send(string.Concat(Enumerable.Range(0, 50).Select(i => $"PUB s.{i} 1\r\ny\r\n")));
        last.Sync();
        int expected = Enumerable.Range(0, 50).Sum(i => live.Count(sid => sid % 3 != 2 || sid % 50 == i));

        // Messages are counted by payload, because some earlier messages may arrive after the PONG.
        int heard = 0;
        await Wait.UntilAsync(
            () =>
            {
                heard += changing.Sync().Split("\r\ny\r\n").Length - 1;
                return heard >= expected;
            },
            () => $"{heard} of {expected}");
        Assert.Equal(expected, heard);
    }

    [Fact]
    public async Task An_in_process_client_has_the_same_limits()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.MaxConnections = 2;
            o.Logger = log;
        });
        using var peer = RawClient.Open(server);
        peer.Send("SUB a 1\r\n");
        peer.Sync();
        var inside = new InProcessClient();
        Connection connection = server.ConnectInProcess(server.Loops[0], inside);
        server.Loops[0].Post(() => connection.GetWriteBuffer(server.Loops[0]).Write(
            "CONNECT {\"verbose\":false}\r\nSUB b 1\r\nPUB a 1\r\nx\r\nPUB b 1\r\ny\r\nPUB b 123456789012345\r\n"u8));
        Assert.Equal("a", peer.ReadMessage().Words[1]);
        await inside.Closed.WaitAsync(Wait.Limit, Ct);
        Assert.Matches("^INFO \\{.*\\} \r\nMSG b 1 1\r\ny\r\n-ERR 'Maximum Payload Violation'\r\n$", inside.Text);
        Assert.Single(log.Warnings);
        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "the client to be removed");
    }

    [Fact]
    public async Task Each_message_reaches_one_member_of_a_queue_group_and_every_member_receives_some()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 2 });
        RawClient[] members = [.. Enumerable.Range(0, 4).Select(_ => RawClient.Open(server))];
        foreach ((RawClient member, int i) in members.Select((m, i) => (m, i)))
        {
            member.Send(i % 2 == 0 ? "SUB w.* g 1\r\n" : "SUB w.a g 1\r\n");
            member.Sync();
        }

        using var publisher = RawClient.Open(server);
        publisher.Send(string.Concat(Enumerable.Repeat("PUB w.a 1\r\nx\r\n", 8_000)));
        publisher.Sync();
        int[] counts = new int[members.Length];
        await AllHaveHeardAsync(8_000, members, counts);
        // Each member expects 2,000 messages. A deviation of 400 is ten times the standard deviation.
        Assert.All(counts, c => Assert.InRange(c, 1_600, 2_400));
        members[0].Dispose();
        await Wait.UntilAsync(() => server.Snapshot().Subscriptions == 3, "one member to leave");
        publisher.Send(string.Concat(Enumerable.Repeat("PUB w.a 1\r\nx\r\n", 300)));
        publisher.Sync();
        await AllHaveHeardAsync(300, members[1..], new int[members.Length - 1]);
        Array.ForEach(members, m => m.Dispose());

        // With several loops, messages of another loop may arrive after the PONG.
        static async Task AllHaveHeardAsync(int messages, RawClient[] members, int[] counts)
        {
            await Wait.UntilAsync(
                () =>
                {
                    for (int i = 0; i < members.Length; i++)
                    {
                        counts[i] += members[i].Sync().Split("MSG ").Length - 1;
                    }

                    return counts.Sum() >= messages;
                },
                () => $"{counts.Sum()} of {messages}");
            Assert.Equal(messages, counts.Sum());
        }
    }

    [Fact]
    public async Task Only_a_client_that_does_not_answer_PING_is_disconnected()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.PingInterval = TimeSpan.FromSeconds(1);
            o.PingMax = 2;
            o.Logger = log;
        });
        using var silent = RawClient.Open(server);
        Assert.Equal("PING\r\nPING\r\n-ERR 'Stale Connection'\r\n", silent.ReadToEnd());
        using var answering = RawClient.Open(server);
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal("PING\r\n", answering.ReadLine());
            answering.Send("PONG\r\n");
        }

        Assert.Single(log.All, l => l.Contains("stale", StringComparison.Ordinal));
    }
}
