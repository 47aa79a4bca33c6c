using System.Collections.Concurrent;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Targets;

/// <summary>
/// A message target, built with the public API only: it answers requests, mirrors the interest of its account, and has
/// limits.
/// </summary>
public sealed class MessageTargetTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_target_answers_requests_from_clients_of_all_loops(int loops)
    {
        await using BrokerServer server = await StartAsync(loops);
        var handler = new Recorder();
        using MessageTarget target = server.AddTarget(handler, new MessageTargetOptions { Loop = server.Loops[0] });
        handler.Answer = message => target.Publish(message.ReplyTo, message.Payload, default, message.HeaderLength);
        target.Subscribe("svc.*");
        for (int i = 0; i < loops * 2; i++)
        {
            using var client = RawClient.Open(server);
            client.Send("SUB inbox 1\r\n");
            client.Sync();
            for (int request = 0; request < 100; request++)
            {
                string expected = $"MSG inbox 1 {$"{request}".Length}\r\n{request}\r\n";
                client.Send($"PUB svc.{request} inbox {$"{request}".Length}\r\n{request}\r\n");
                Assert.Equal(expected, client.Sync(expected.Length));
            }
        }

        Assert.Equal(loops * 200, handler.Messages.Count);
        Assert.Equal((0, 0), (target.PendingBytes, target.DroppedMessages));
    }

    [Fact]
    public async Task Headers_and_subscriptions_of_messages_are_reported_and_a_target_does_not_receive_its_own_messages()
    {
        await using BrokerServer server = await StartAsync(1);
        var handler = new Recorder();
        using MessageTarget target = server.AddTarget(handler);
        using TargetSubscription one = target.Subscribe("a.>");
        using TargetSubscription other = target.Subscribe("a.*", "group");
        using var client = RawClient.Open(
            server, RawClient.Quiet.Replace("false}", "false,\"headers\":true}", StringComparison.Ordinal));
        client.Send("SUB a.b 1\r\nHPUB a.b r 12 14\r\nNATS/1.0\r\n\r\nhi\r\n");
        client.Sync();
        await Servers.UntilAsync(() => handler.Messages.Count == 2, "both messages");
        Assert.Equal(
            ["a.* a.b r 12 NATS/1.0|hi", "a.> a.b r 12 NATS/1.0|hi"], handler.Messages.Order(StringComparer.Ordinal));
        int receivers = await OnLoopAsync(target, () => target.Publish("a.b"u8, "x"u8));
        Assert.Equal(1, receivers);
        Assert.Equal(0, await OnLoopAsync(target, () => target.Publish("a.c"u8, "x"u8)));
        Assert.Equal("MSG a.b 1 1\r\nx\r\n", client.Sync("MSG a.b 1 1\r\nx\r\n".Length));
        Assert.Equal(2, handler.Messages.Count);
        one.Dispose();
        other.Dispose();
        client.Send("PUB a.b 1\r\ny\r\n");
        Assert.Equal("MSG a.b 1 1\r\ny\r\n", client.Sync());
        Assert.Equal(2, handler.Messages.Count);
    }

    [Fact]
    public async Task A_paused_target_buffers_up_to_its_limit_and_drops_further_messages()
    {
        await using BrokerServer server = await StartAsync(1);
        var handler = new Recorder();
        const int Size = 100;
        var options = new MessageTargetOptions { MaxPendingBytes = 10 * (Size + 1) };
        using MessageTarget target = server.AddTarget(handler, options);
        target.Subscribe("a");
        target.Subscribe("b", "group");
        target.IsPaused = true;
        using var client = RawClient.Open(server);
        client.Send("SUB b group 1\r\n");
        client.Send(string.Concat(Enumerable.Repeat($"PUB a {Size}\r\n{new string('x', Size)}\r\n", 25)));
        Assert.Equal("", client.Sync());
        Assert.Equal((options.MaxPendingBytes, 15), (target.PendingBytes, target.DroppedMessages));
        // The target is full, so the other member of the group receives every message.
        client.Send(string.Concat(Enumerable.Repeat("PUB b 1\r\ny\r\n", 20)));
        Assert.Equal(string.Concat(Enumerable.Repeat("MSG b 1 1\r\ny\r\n", 20)), client.Sync());
        Assert.Empty(handler.Messages);
        target.IsPaused = false;
        await Servers.UntilAsync(() => handler.Messages.Count == 10, "the buffered messages");
        await Servers.UntilAsync(() => handler.Dropped == target.DroppedMessages, "the report of dropped messages");
        // The bytes are released after the handler has returned.
        await Servers.UntilAsync(() => target.PendingBytes == 0, "the release of the buffered bytes");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_target_sees_all_subscriptions_of_others_in_their_order(int loops)
    {
        await using BrokerServer server = await StartAsync(loops);
        using var early = RawClient.Open(server);
        early.Send("SUB a.* 1\r\nSUB b.> q 2\r\nSUB a.* 3\r\nSUB *.c 4\r\nSUB > 5\r\n");
        early.Sync();
        var handler = new Recorder();
        using MessageTarget target = server.AddTarget(handler, new MessageTargetOptions { WatchInterest = true });
        target.Subscribe("own");
        using MessageTarget another = server.AddTarget(new Recorder());
        TargetSubscription subscription = another.Subscribe("of.another", "g");
        using var late = RawClient.Open(server);
        late.Send(string.Concat(Enumerable.Range(0, 500).Select(i => $"SUB churn 1\r\nUNSUB 1\r\nSUB churn {i + 10}\r\n")));
        late.Sync();
        subscription.Dispose();
        early.Send("UNSUB 3\r\n");
        early.Sync();
        string[] expected = ["*.c :1", "> :1", "a.* :1", "b.> q:1", "churn :500"];
        await Servers.UntilAsync(() => expected.SequenceEqual(handler.Interest), "the interest of all others");
        late.Dispose();
        await Servers.UntilAsync(() => expected.AsSpan(0, 4).SequenceEqual(handler.Interest), "the end of the late client");
        Assert.True(handler.WasNeverNegative);
    }

    [Fact]
    public async Task A_target_takes_part_in_one_account_and_receives_its_stream_imports_after_a_reload()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(
            o =>
            {
                o.Listen(0);
                o.Accounts =
                [
                    new AccountOptions("A") { Users = [new User("a", "a")], Exports = [new StreamExport("news.>")] },
                    new AccountOptions("B") { Users = [new User("b", "b")] },
                ];
            },
            TestContext.Current.CancellationToken);
        var handler = new Recorder();
        using MessageTarget target = server.AddTarget(handler, new MessageTargetOptions { Account = "B" });
        target.Subscribe(">");
        using var client = RawClient.Open(server, "CONNECT {\"user\":\"a\",\"pass\":\"a\",\"verbose\":false}\r\n");
        client.Send("PUB news.1 1\r\nx\r\n");
        Assert.Equal("", client.Sync());
        await server.ReloadAsync(o => o.Accounts =
        [
            o.Accounts[0],
            new AccountOptions("B") { Users = [new User("b", "b")], Imports = [new StreamImport("A", "news.>")] },
        ]);
        client.Send("PUB news.2 1\r\nx\r\n");
        Assert.Equal("", client.Sync());
        await Servers.UntilAsync(() => !handler.Messages.IsEmpty, "the imported message");
        Assert.Equal(["> news.2  0 |x"], handler.Messages);
    }

    [Fact]
    public async Task Invalid_arguments_are_refused()
    {
        await using BrokerServer server = await StartAsync(1);
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var handler = new Recorder();
        Assert.Throws<ArgumentException>(() => server.AddTarget(handler, new MessageTargetOptions { Account = "none" }));
        Assert.Throws<ArgumentException>(() => server.AddTarget(handler, new MessageTargetOptions { Loop = loops[0] }));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => server.AddTarget(handler, new MessageTargetOptions { MaxPendingBytes = -1 }));
        MessageTarget target = server.AddTarget(handler);
        Assert.Throws<ArgumentException>(() => target.Subscribe("a..b"));
        Assert.Throws<ArgumentException>(() => target.Subscribe("a", "two words"));
        Assert.Throws<InvalidOperationException>(() => target.Publish("a"u8, default));
        Assert.Throws<InvalidOperationException>(() => target.Deliver("a"u8, "b"u8, default));
        await OnLoopAsync(target, () =>
        {
            Assert.Throws<ArgumentException>(() => target.Publish("a.*"u8, default));
            Assert.Throws<ArgumentException>(() => target.Publish("a"u8, "x"u8, default, headerLength: 2));
            Assert.Throws<ArgumentException>(() => target.Deliver("a.*"u8, "b"u8, default));
            Assert.Throws<ArgumentException>(() => target.Deliver("a"u8, "b.*"u8, default));
            Assert.Throws<ArgumentException>(() => target.Deliver("a"u8, "b"u8, default, "c d"u8));
            Assert.Throws<ArgumentException>(() => target.Deliver("a"u8, "b"u8, "x"u8, default, headerLength: 2));
            return 0;
        });
        target.Dispose();
        Assert.Throws<ObjectDisposedException>(() => target.Subscribe("a"));
    }

    [Fact]
    public async Task A_delivered_message_goes_to_the_subscribers_of_one_subject_and_has_another()
    {
        await using BrokerServer server = await StartAsync(1);
        using MessageTarget target = server.AddTarget(new Recorder());
        var other = new Recorder();
        using MessageTarget receiver = server.AddTarget(other);
        receiver.Subscribe("in.*");
        using var client = RawClient.Open(
            server, RawClient.Quiet.Replace("false}", "false,\"headers\":true}", StringComparison.Ordinal));
        client.Send("SUB in.box 1\r\nSUB in.> queue 2\r\nSUB orders.> 3\r\n");
        client.Sync();

        int receivers = await OnLoopAsync(
            target, () => target.Deliver("in.box"u8, "orders.new"u8, "NATS/1.0\r\n\r\nhi"u8, "ack"u8, headerLength: 12));
        Assert.Equal(0, await OnLoopAsync(target, () => target.Deliver("nobody"u8, "orders.new"u8, "hi"u8)));

        Assert.Equal(3, receivers);
        string first = "HMSG orders.new 1 ack 12 14\r\nNATS/1.0\r\n\r\nhi\r\n";
        string second = "HMSG orders.new 2 ack 12 14\r\nNATS/1.0\r\n\r\nhi\r\n";
        Assert.Equal(first + second, client.Sync(first.Length + second.Length));
        await Servers.UntilAsync(() => !other.Messages.IsEmpty, "the message of the target");
        Assert.Equal(["in.* orders.new ack 12 NATS/1.0|hi"], other.Messages);
    }

    [Fact]
    public async Task A_delivered_message_does_not_reach_other_servers_which_would_route_it_by_its_subject()
    {
        await using BrokerServer server = await StartAsync(1);
        using MessageTarget target = server.AddTarget(new Recorder());
        var peer = new Peer();
        using RemoteTarget remote = server.AddRemote(peer);
        remote.AddInterest(">"u8);

        int receivers = await OnLoopAsync(target, () => target.Deliver("in.box"u8, "orders.new"u8, "hi"u8));
        Assert.Equal(1, await OnLoopAsync(target, () => target.Publish("in.box"u8, "hi"u8)));

        Assert.Equal(0, receivers);
        Assert.Equal(["in.box"], peer.Subjects);
    }

    private static Task<BrokerServer> StartAsync(int loops)
        => Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = loops });

    private static async Task<int> OnLoopAsync(MessageTarget target, Func<int> action)
    {
        var done = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        target.Loop.Post(() =>
        {
            try
            {
                done.SetResult(action());
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        });
        return await done.Task.WaitAsync(TestContext.Current.CancellationToken);
    }

    private sealed class Peer : IRemoteTargetHandler
    {
        internal ConcurrentQueue<string> Subjects { get; } = new();

        public bool OnMessage(in RemoteMessage message, EventLoop loop)
        {
            Subjects.Enqueue(Encoding.ASCII.GetString(message.Subject));
            return true;
        }

        public void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
        {
        }

        public void OnInterestReported(EventLoop loop)
        {
        }

        public void OnDelivered()
        {
        }
    }

    private sealed class Recorder : IMessageTargetHandler
    {
        private readonly SortedDictionary<string, int> _interest = new(StringComparer.Ordinal);
        private long _dropped;

        internal delegate void Handle(DeliveredMessage message);

        internal Handle? Answer { get; set; }

        internal ConcurrentQueue<string> Messages { get; } = new();

        internal bool WasNeverNegative { get; private set; } = true;

        internal long Dropped => Volatile.Read(ref _dropped);

        internal string[] Interest
        {
            get
            {
                lock (_interest)
                {
                    return [.. _interest.Where(static i => i.Value != 0).Select(static i => $"{i.Key}:{i.Value}")];
                }
            }
        }

        public void OnMessages(MessageBatch batch)
        {
            int count = 0;
            foreach (DeliveredMessage message in batch)
            {
                count++;
                string headers = Encoding.ASCII.GetString(message.Headers).Trim();
                string text = $"{message.Subscription.Filter} {Encoding.ASCII.GetString(message.Subject)} "
                    + $"{Encoding.ASCII.GetString(message.ReplyTo)} {message.HeaderLength} {headers}|"
                    + Encoding.ASCII.GetString(message.Body);
                Messages.Enqueue(text);
                Answer?.Invoke(message);
            }

            Assert.Equal(batch.Count, count);
        }

        public void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
        {
            string key = $"{Encoding.ASCII.GetString(filter)} {Encoding.ASCII.GetString(queueGroup)}";
            lock (_interest)
            {
                int count = _interest.GetValueOrDefault(key) + (isAdded ? 1 : -1);
                _interest[key] = count;
                WasNeverNegative &= count >= 0;
            }
        }

        public void OnMessagesDropped(long count) => Interlocked.Add(ref _dropped, count);
    }
}
