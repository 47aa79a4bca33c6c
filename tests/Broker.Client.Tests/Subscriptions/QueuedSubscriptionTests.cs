using System.Text;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

public sealed class QueuedSubscriptionTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>
    /// Limits of pending bytes, down to little more than one message, with both servers and both pollers.
    /// </summary>
    public static MatrixTheoryData<ServerKind, bool, int> Limits => new([ServerKind.Broker, ServerKind.Nats], [false, true], [1_100, 4_000, 40_000]);

    private static string Text(ReadOnlyMemory<byte> bytes) => Encoding.UTF8.GetString(bytes.Span);

    private static async Task<List<string>> ReadAsync(QueuedSubscription subscription, int count)
    {
        var got = new List<string>();
        while (got.Count < count)
        {
            got.Add(Text((await Wait.For(subscription.Reader.ReadAsync(Token).AsTask())).Body));
        }

        return got;
    }

    private static IEnumerable<string> Numbers(int first, int count) => Enumerable.Range(first, count).Select(i => $"{i:d4}");

    private static void Publish(BrokerConnection client, string subject, int count)
    {
        for (int i = 0; i < count; i++)
        {
            client.Publish(subject, Encoding.ASCII.GetBytes($"{i:d4}"));
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task An_await_foreach_over_messages_reads_owned_copies_in_order(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection other = await Patient.ConnectAsync(server.Options, Token);
        TaskCompletionSource subscribed = Wait.Source();
        Task<List<Message>> reader = Task.Run(async () =>
        {
            var kept = new List<Message>();
            await using IAsyncEnumerator<Message> messages = client.ReadAsync("a.*").GetAsyncEnumerator(Token);
            ValueTask<bool> first = messages.MoveNextAsync();
            await client.PingAsync(Token);
            subscribed.SetResult();
            for (bool more = await first; more && kept.Count < 1000; more = await messages.MoveNextAsync())
            {
                kept.Add(messages.Current);
            }

            return kept;
        }, Token);
        await Wait.For(subscribed);
        for (int i = 0; i < 1001; i++)
        {
            other.Publish($"a.{i}", Encoding.ASCII.GetBytes($"{i}"), "reply.to", "NATS/1.0\r\nA: b\r\n\r\n"u8);
        }

        List<Message> got = await Wait.For(reader);
        for (int i = 0; i < got.Count; i++)
        {
            Assert.Equal(($"a.{i}", "reply.to", "NATS/1.0\r\nA: b\r\n\r\n", $"{i}"), (got[i].Subject, got[i].ReplyTo, Text(got[i].Headers), Text(got[i].Body)));
        }

        // The loop has ended, and so has the subscription.
        Assert.False(got[0].Subscription.IsActive);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_reader_that_does_not_read_does_not_delay_others(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<QueuedSubscription> slow = Wait.Source<QueuedSubscription>();
        int told = 0;
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                // PINGs are so frequent that a blocked connection would be noticed, and so many may be open that a slow
                // server does not count as lost.
                PingInterval = TimeSpan.FromMilliseconds(20),
                MaxPingsOut = 10_000,
                OnSlowConsumer = (_, s) =>
                {
                    told++;
                    slow.TrySetResult(s);
                },
            },
            Token);
        await using QueuedSubscription stopped = client.SubscribeQueued("a", new QueueOptions { MaxMessages = 10 });
        await using QueuedSubscription reads = client.SubscribeQueued("a");
        var counter = new Counter(1000);
        client.Subscribe("a", counter.Take);
        Publish(client, "a", 1000);
        await counter.Complete;
        Assert.Equal(Numbers(0, 1000), await ReadAsync(reads, 1000));
        await client.PingAsync(Token);
        Assert.Same(stopped, await Wait.For(slow));
        Assert.Equal(1, told);
        Assert.Equal(
            new QueueStatistics { Pending = 10, PendingBytes = 50, PeakPending = 10, PeakPendingBytes = 50, Queued = 10, Dropped = 990 },
            stopped.GetStatistics());
        Assert.Equal(0, reads.GetStatistics().Dropped);

        // When the reader has caught up, another series of drops may begin.
        Assert.Equal(Numbers(0, 10), await ReadAsync(stopped, 10));
        Publish(client, "a", 12);
        await client.PingAsync(Token);
        Assert.Equal(2, told);
        Assert.Equal(Numbers(0, 10), await ReadAsync(stopped, 10));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_queue_group_shares_the_messages_among_queued_and_typed_members(ServerKind kind, bool portable)
    {
        const int Messages = 1000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription queued = client.SubscribeQueued("a", queue: "workers");
        int handled = 0;
        await using HandlerBinding typed = new EncodedConnection(client, TextEncoder.Instance).Subscribe<int>(
            "a", _ => Interlocked.Increment(ref handled), queue: "workers");
        await client.PingAsync(Token);
        Publish(client, "a", Messages);
        await client.PingAsync(Token);
        long first = queued.Subscription.Delivered;
        long second = typed.Subscription.Subscription.Delivered;
        Assert.Equal(Messages, first + second);
        Assert.InRange(first, 1, Messages - 1);
        await typed.Subscription.DrainAsync(Token);
        await Wait.For(typed.Completion);
        Assert.Equal(second, handled);
        Assert.Equal(first, queued.GetStatistics().Pending);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task The_oldest_messages_are_dropped_with_DropOldest(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription byCount = client.SubscribeQueued("a", new QueueOptions { MaxMessages = 10, WhenFull = FullQueuePolicy.DropOldest });
        await using QueuedSubscription byBytes = client.SubscribeQueued("a", new QueueOptions { MaxBytes = 54, WhenFull = FullQueuePolicy.DropOldest });
        Publish(client, "a", 1000);
        client.Publish("a", new byte[100]);
        await client.PingAsync(Token);
        Assert.Equal([.. Numbers(991, 9), new string('\0', 100)], await ReadAsync(byCount, 10));
        // A message that is larger than the limit of the queue does not empty the queue.
        Assert.Equal(Numbers(990, 10), await ReadAsync(byBytes, 10));
        Assert.Equal(991, byBytes.GetStatistics().Dropped);
        Assert.Equal(50, byBytes.GetStatistics().PeakPendingBytes);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task With_End_the_subscription_ends_with_an_error_after_the_queued_messages(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        QueuedSubscription subscription = client.SubscribeQueued("a", new QueueOptions { MaxMessages = 10, WhenFull = FullQueuePolicy.End });
        Publish(client, "a", 1000);
        await client.PingAsync(Token);
        var got = new List<string>();
        SlowConsumerException e = await Assert.ThrowsAsync<SlowConsumerException>(async () =>
        {
            await foreach (Message message in subscription.ReadAllAsync(Token))
            {
                got.Add(Text(message.Body));
            }
        });
        Assert.Contains("'a'", e.Message, StringComparison.Ordinal);
        Assert.Equal(Numbers(0, 10), got);
        Assert.False(subscription.Subscription.IsActive);
        await Assert.ThrowsAsync<SlowConsumerException>(() => Wait.For(subscription.Reader.Completion));
    }

    [Fact]
    public async Task A_message_beyond_the_limits_is_not_copied()
    {
        const int Messages = 1000;
        const int Size = 40_000;
        byte[] message = Encoding.ASCII.GetBytes($"MSG a 1 {Size}\r\n{new string('x', Size)}\r\n");
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            while (true)
            {
                // The SUB comes first, and then a PING for each round.
                if (peer.ReadLine() == "PING")
                {
                    for (int i = 0; i < Messages; i++)
                    {
                        peer.Socket.Send(message);
                    }

                    peer.Send("PONG\r\n");
                }
            }
        });
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { ConnectTimeout = Wait.Limit, DrainTimeout = TimeSpan.FromMilliseconds(100) }, Token);
        await using QueuedSubscription subscription = client.SubscribeQueued("a", new QueueOptions { MaxBytes = 1000 });
        await client.PingAsync(Token);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await client.PingAsync(Token);
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, Messages * (long)Size / 10);
        Assert.Equal(2 * Messages, subscription.GetStatistics().Dropped);
        Assert.Equal(0, subscription.GetStatistics().Pending);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task AutoUnsubscribe_ends_it_after_the_given_number_of_messages(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        QueuedSubscription subscription = client.SubscribeQueued("a");
        subscription.AutoUnsubscribe(5);
        Publish(client, "a", 20);
        var got = new List<string>();
        await foreach (Message message in subscription.ReadAllAsync(Token))
        {
            got.Add(Text(message.Body));
        }

        Assert.Equal(Numbers(0, 5), got);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Draining_one_subscription_loses_nothing_and_does_not_affect_others(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection publisher = await Patient.ConnectAsync(server.Options, Token);
        QueuedSubscription queued = client.SubscribeQueued("a");
        Subscription inline = client.Subscribe("a", (in MessageView _) => { });
        Subscription stays = client.Subscribe("a", (in MessageView _) => { });
        await client.PingAsync(Token);
        Publish(publisher, "a", 5000);
        await publisher.FlushAsync(Token);
        await Wait.For(Task.WhenAll(queued.DrainAsync(Token), inline.DrainAsync(Token)));
        Assert.Equal(5000, inline.Delivered);
        Assert.Equal(5000, queued.GetStatistics().Queued);
        Publish(publisher, "a", 10);
        await publisher.FlushAsync(Token);
        await client.PingAsync(Token);
        Assert.Equal(5000, inline.Delivered);
        Assert.Equal(5010, stays.Delivered);
        int read = 0;
        await foreach (Message _ in queued.ReadAllAsync(Token))
        {
            read++;
        }

        Assert.Equal(5000, read);
        await queued.DrainAsync(Token);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_drain_of_the_connection_waits_until_the_queues_are_read_and_sends_the_readers_replies(ServerKind kind, bool portable)
    {
        const int Messages = 5000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection ends = await Patient.ConnectAsync(server.Options, Token);
        BrokerConnection middle = await Patient.ConnectAsync(server.Options, Token);
        var counter = new Counter(Messages);
        ends.Subscribe("out", counter.Take);
        QueuedSubscription queued = middle.SubscribeQueued("in");
        await middle.PingAsync(Token);
        for (int i = 0; i < Messages; i++)
        {
            ends.Publish("in", "0123456789"u8, "out");
        }

        await ends.FlushAsync(Token);
        var reader = Task.Run(async () =>
        {
            await foreach (Message message in queued.ReadAllAsync(Token))
            {
                message.Respond(message.Body.Span);
            }
        }, Token);
        await Wait.For(middle.DrainAsync(Token));
        await Wait.For(reader);
        await counter.Complete;
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task The_close_of_the_connection_ends_the_readers_after_the_queued_messages(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        QueuedSubscription subscription = client.SubscribeQueued("a");
        Task<bool> waits = client.SubscribeQueued("b").Reader.WaitToReadAsync(Token).AsTask();
        Publish(client, "a", 3);
        await client.PingAsync(Token);
        await client.CloseAsync();
        Assert.Equal(Numbers(0, 3), await ReadAsync(subscription, 3));
        Assert.False(await Wait.For(subscription.Reader.WaitToReadAsync(Token).AsTask()));
        Assert.False(await Wait.For(waits));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_wait_for_a_message_can_be_cancelled_without_affecting_the_next_wait(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription subscription = client.SubscribeQueued("a");
        using var cancel = new CancellationTokenSource();
        Task<bool> wait = subscription.Reader.WaitToReadAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(wait));
        Publish(client, "a", 1);
        Assert.Equal(["0000"], await ReadAsync(subscription, 1));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Several_readers_share_the_messages(ServerKind kind, bool portable)
    {
        const int Messages = 20_000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        QueuedSubscription subscription = client.SubscribeQueued("a");
        int[] seen = new int[Messages];
        Task[] readers = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            await foreach (Message message in subscription.ReadAllAsync(Token))
            {
                Interlocked.Increment(ref seen[BitConverter.ToInt32(message.Body.Span)]);
            }
        }, Token))];
        for (int i = 0; i < Messages; i++)
        {
            client.Publish("a", BitConverter.GetBytes(i));
        }

        await client.FlushAsync(Token);
        await subscription.DrainAsync(Token);
        await Wait.For(Task.WhenAll(readers));
        Assert.All(seen, n => Assert.Equal(1, n));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Queued_messages_can_be_replied_to(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> faults = Wait.Source<Exception>();
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { OnFault = (_, e) => faults.TrySetResult(e) }, Token);
        client.Subscribe("inline", (in MessageView m) => m.Respond(m.Body, "NATS/1.0\r\nA: b\r\n\r\n"u8));
        await using QueuedSubscription queued = client.SubscribeQueued("queued");
        var responder = Task.Run(async () =>
        {
            Message message = await queued.Reader.ReadAsync(Token);
            message.Respond(message.Body.Span);
        }, Token);
        Message reply = await client.RequestAsync("inline", "one"u8.ToArray(), Wait.Limit, cancellationToken: Token);
        Assert.Equal("one", Text(reply.Body));
        Assert.Equal("NATS/1.0\r\nA: b\r\n\r\n", Text(reply.Headers));
        Assert.Equal("two", Text((await client.RequestAsync("queued", "two"u8.ToArray(), Wait.Limit, cancellationToken: Token)).Body));
        await Wait.For(responder);
        client.Publish("inline", default);
        Assert.IsType<InvalidOperationException>(await Wait.For(faults));
    }

    [Fact]
    public async Task Options_of_a_queue_are_checked()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Url, Token);
        Assert.Throws<ArgumentOutOfRangeException>(() => client.SubscribeQueued("a", new QueueOptions { MaxMessages = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => client.SubscribeQueued("a", new QueueOptions { MaxBytes = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => client.SubscribeQueued("a", new QueueOptions { WhenFull = (FullQueuePolicy)7 }));
        Assert.Throws<ArgumentException>(() => client.SubscribeQueued("a b"));
    }

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task PublishAsync_loses_nothing_and_is_never_refused(
        ServerKind kind, bool portable, int limit)
    {
        const int Publishers = 4;
        const int Each = 5_000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { MaxPendingBytes = limit }, Token);
        await using BrokerConnection receiver = await Patient.ConnectAsync(server.Options, Token);
        var counter = new Counter(Publishers * Each);
        receiver.Subscribe("a", counter.Take);
        await receiver.PingAsync(Token);
        byte[] body = new byte[1000];
        await Task.WhenAll(Enumerable.Range(0, Publishers).Select(_ => Task.Run(
            async () =>
            {
                for (int i = 0; i < Each; i++)
                {
                    await client.PublishAsync("a", body, cancellationToken: Token);
                }
            },
            Token)));
        await counter.Complete;
        await client.CloseAsync();
        await Assert.ThrowsAsync<PublishRefusedException>(async () => await client.PublishAsync("a", body, cancellationToken: Token));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_message_that_never_fits_is_refused_while_others_wait(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { MaxPendingBytes = 40_000, ReconnectBufferSize = 1000, OnDisconnected = (_, e) => lost.TrySetResult(e) }, Token);
        Assert.Equal(PublishStatus.PendingLimit, (await TooLargeAsync()).Status);
        await server.KillAsync();
        await Wait.For(lost);
        Task waits = client.PublishAsync("a", new byte[39_000], cancellationToken: Token).AsTask();
        // The message is larger than the limit of pending bytes, with a server or without.
        Assert.Equal(PublishStatus.BufferFull, (await TooLargeAsync()).Status);
        Assert.False(waits.IsCompleted);
        await server.RestartAsync();
        await Wait.For(waits);

        Task<PublishRefusedException> TooLargeAsync() => Assert.ThrowsAsync<PublishRefusedException>(
            async () => await client.PublishAsync("a", new byte[40_000], cancellationToken: Token));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task PublishAsync_waits_for_a_server_if_the_buffer_is_full_and_can_be_cancelled_or_closed(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                ReconnectBufferSize = 1000,
                ReconnectWait = TimeSpan.FromMilliseconds(20),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
            },
            Token);
        Subscription own = client.Subscribe("a", (in MessageView _) => { });
        await server.KillAsync();
        await Wait.For(lost);
        await client.PublishAsync("a", new byte[900], cancellationToken: Token);
        Task waits = client.PublishAsync("a", new byte[900], cancellationToken: Token).AsTask();
        using var cancel = new CancellationTokenSource();
        Task cancelled = client.PublishAsync("a", new byte[900], cancellationToken: cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(cancelled));
        Assert.False(waits.IsCompleted);
        await server.RestartAsync();
        await Wait.For(waits);
        await client.PingAsync(Token);
        Assert.Equal(2, own.Delivered);
    }
}
