using System.Globalization;
using System.Text;
using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests.Requests;

/// <summary>Requests for one reply and for many, awaited and with blocked threads.</summary>
public sealed class RequestFormsTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static Task<BrokerConnection> Connect(AnyServer server) => Patient.ConnectAsync(server.Options, Token);

    private static string Text(ReadOnlyMemory<byte> body) => Encoding.UTF8.GetString(body.Span);

    /// <summary>Sends the replies "1", "2", … as often as the request says.</summary>
    private static void CountUp(in MessageView m)
    {
        int times = int.Parse(Encoding.UTF8.GetString(m.Body), CultureInfo.InvariantCulture);
        for (int i = 1; i <= times; i++)
        {
            m.Respond(Encoding.UTF8.GetBytes(i.ToString(CultureInfo.InvariantCulture)));
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_blocked_thread_gets_the_reply(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("echo", (in MessageView m) => m.Respond(m.Body, m.Headers));
        client.Subscribe("silent", (in MessageView _) => { });
        byte[] headers = "NATS/1.0\r\nA: b\r\n\r\n"u8.ToArray();
        for (int i = 0; i < 100; i++)
        {
            Message answer = client.Request("echo", BitConverter.GetBytes(i), Wait.Limit, headers, Token);
            Assert.Equal(i, BitConverter.ToInt32(answer.Body.Span));
            Assert.Equal(headers, answer.Headers.ToArray());
        }

        Assert.Throws<NoRespondersException>(() => client.Request("nobody", default, Wait.Limit, cancellationToken: Token));
        Assert.Throws<TimeoutException>(() => client.Request("silent", default, TimeSpan.FromMilliseconds(20), cancellationToken: Token));
        using var cancel = new CancellationTokenSource(TimeSpan.FromMilliseconds(20));
        Assert.Throws<OperationCanceledException>(() => client.Request("silent", default, Timeout.InfiniteTimeSpan, cancellationToken: cancel.Token));
        // The abandoned request has left nothing that would affect the next one.
        Assert.Equal("x", Text(client.Request("echo", "x"u8, Wait.Limit, cancellationToken: Token).Body));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_blocking_request_on_a_loop_with_its_own_thread_is_refused(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        TaskCompletionSource<Exception?> thrown = Wait.Source<Exception?>();
        client.Loop.Post(() => thrown.SetResult(Record.Exception(() => client.Request("a", default, Wait.Limit, cancellationToken: Token))));
        Assert.IsType<InvalidOperationException>(await Wait.For(thrown));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_thread_that_drives_the_loop_gets_the_reply_a_timeout_or_the_cancellation(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection responder = await Connect(server);
        responder.Subscribe("echo", (in MessageView m) => m.Respond(m.Body));
        responder.Subscribe("silent", (in MessageView _) => { });
        await responder.PingAsync(Token);
        // One thread does everything: it drives the loop until the connection is established, and sends the requests.
        TaskCompletionSource over = Wait.Source();
        var thread = new Thread(() =>
        {
            try
            {
                AskTurning(server.Options, portable);
                over.SetResult();
            }
            catch (Exception e)
            {
                over.SetException(e);
            }
        });
        thread.Start();
        await Wait.For(over);
        thread.Join();
    }

    private static void AskTurning(ClientOptions options, bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, ForcePortable = portable });
        EventLoop loop = group[0];
        T Turned<T>(Task<T> task)
        {
            Wait.Until(() =>
            {
                loop.RunOnce(TimeSpan.FromMilliseconds(10));
                return task.IsCompleted;
            });
            return task.GetAwaiter().GetResult();
        }

        BrokerConnection client = Turned(Patient.ConnectAsync(options with { Loops = group }, Token));
        int others = 0;
        client.Subscribe("beside", (in MessageView _) => others++);
        for (int i = 0; i < 1000; i++)
        {
            client.Publish("beside", default);
            Assert.Equal($"{i}", Text(client.Request("echo", Encoding.ASCII.GetBytes($"{i}"), Wait.Limit, cancellationToken: Token).Body));
        }

        // Each message came before the reply to the request after it.
        Assert.Equal(1000, others);
        Assert.Throws<NoRespondersException>(() => client.Request("nobody", default, Wait.Limit, cancellationToken: Token));
        Assert.Throws<TimeoutException>(() => client.Request("silent", default, TimeSpan.FromMilliseconds(20), cancellationToken: Token));
        using var cancel = new CancellationTokenSource(TimeSpan.FromMilliseconds(20));
        Assert.Throws<OperationCanceledException>(() => client.Request("silent", default, Timeout.InfiniteTimeSpan, cancellationToken: cancel.Token));
        Exception? thrown = null;
        client.Subscribe("inside", (in MessageView _) => thrown = Record.Exception(() => client.Request("echo", default, Wait.Limit, cancellationToken: Token)));
        client.Publish("inside", default);
        Assert.Equal("x", Text(client.Request("echo", "x"u8, Wait.Limit, cancellationToken: Token).Body));
        Assert.IsType<InvalidOperationException>(thrown);
        Task<Message> ended = Task.Run(async () =>
        {
            await client.CloseAsync();
            return default(Message);
        });
        Assert.Throws<ConnectionLostException>(() => client.Request("silent", default, Timeout.InfiniteTimeSpan, cancellationToken: Token));
        Turned(ended);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_blocked_thread_is_released_when_the_connection_closes(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        BrokerConnection client = await Connect(server);
        TaskCompletionSource asked = Wait.Source();
        client.Subscribe("silent", (in MessageView _) => asked.TrySetResult());
        Task request = Task.Run(() => client.Request("silent", default, Timeout.InfiniteTimeSpan), Token);
        await Wait.For(asked);
        await client.CloseAsync();
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(request));
        Assert.Throws<ConnectionLostException>(() => client.Request("silent", default, Wait.Limit, cancellationToken: Token));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Many_replies_end_at_the_given_number(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("count", CountUp);
        IReadOnlyList<Message> answers = await client.GatherAsync(
            "count", "10"u8.ToArray(), new() { MaxReplies = 3, Deadline = Wait.Limit }, cancellationToken: Token);
        Assert.Equal(["1", "2", "3"], answers.Select(a => Text(a.Body)));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Many_replies_end_after_a_pause(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("count", CountUp);
        IReadOnlyList<Message> answers = await client.GatherAsync(
            "count", "5"u8.ToArray(), new() { IdleTimeout = TimeSpan.FromSeconds(2), Deadline = TimeSpan.FromMinutes(10) }, cancellationToken: Token);
        Assert.Equal(["1", "2", "3", "4", "5"], answers.Select(a => Text(a.Body)));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Many_replies_end_before_the_end_marker(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("count", CountUp);
        IReadOnlyList<Message> answers = await client.GatherAsync(
            "count", "10"u8.ToArray(), new() { Sentinel = static (in MessageView m) => m.Body is [(byte)'4'], Deadline = Wait.Limit }, cancellationToken: Token);
        Assert.Equal(["1", "2", "3"], answers.Select(a => Text(a.Body)));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Gather_returns_all_replies_or_none_at_the_deadline(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        await using BrokerConnection other = await Connect(server);
        client.Subscribe("who", (in MessageView m) => m.Respond("one"u8));
        other.Subscribe("who", (in MessageView m) => m.Respond("other"u8));
        other.Subscribe("silent", (in MessageView _) => { });
        await other.PingAsync(Token);
        IReadOnlyList<Message> answers = await client.GatherAsync("who", default, new() { MaxReplies = 2, Deadline = Wait.Limit }, cancellationToken: Token);
        Assert.Equal(["one", "other"], answers.Select(a => Text(a.Body)).Order(StringComparer.Ordinal));
        Assert.Empty(await client.GatherAsync("silent", default, new() { Deadline = TimeSpan.FromMilliseconds(20) }, cancellationToken: Token));
        await Assert.ThrowsAsync<NoRespondersException>(() => client.GatherAsync("nobody", default, cancellationToken: Token));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_reader_that_leaves_or_is_cancelled_ends_a_request_for_many(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("count", CountUp);
        var options = new RequestManyOptions { Deadline = TimeSpan.FromMinutes(10) };
        await foreach (Message first in client.RequestManyAsync("count", "10"u8.ToArray(), options, cancellationToken: Token))
        {
            Assert.Equal("1", Text(first.Body));
            break;
        }

        using var cancel = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (Message answer in client.RequestManyAsync("count", "2"u8.ToArray(), options, cancellationToken: cancel.Token))
            {
                if (Text(answer.Body) == "2")
                {
                    await cancel.CancelAsync();
                }
            }
        });
        Assert.Equal(0, client.Core.Requester.Pending);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_lost_server_ends_a_request_for_many_after_the_replies_that_had_arrived(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("count", CountUp);
        var got = new List<string>();
        await Assert.ThrowsAsync<ConnectionLostException>(async () =>
        {
            await foreach (Message answer in client.RequestManyAsync(
                "count", "3"u8.ToArray(), new() { Deadline = TimeSpan.FromMinutes(10) }, cancellationToken: Token))
            {
                got.Add(Text(answer.Body));
                if (got.Count == 1)
                {
                    // After the answer to the PING all three have arrived.
                    await client.PingAsync(Token);
                    await server.KillAsync();
                    await Wait.UntilAsync(() => client.State == ConnectionState.Reconnecting, "the loss");
                }
            }
        });
        Assert.Equal(["1", "2", "3"], got);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Too_many_unread_replies_fail_the_request(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("count", CountUp);
        await Assert.ThrowsAsync<SlowConsumerException>(() => client.GatherAsync(
            "count", "1000"u8.ToArray(), new() { Deadline = Wait.Limit, MaxBytes = 100 }, cancellationToken: Token));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Too_many_gathered_replies_fail_the_request_even_if_none_waits(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        await using QueuedSubscription asked = client.SubscribeQueued("ask");
        Task gathering = client.GatherAsync("ask", default, new() { Deadline = Wait.Limit, MaxBytes = 1000 }, cancellationToken: Token);
        Message request = await asked.Reader.ReadAsync(Token);
        for (int i = 0; i < 3; i++)
        {
            request.Respond(new byte[400]);
            // Usually it has been read by then, and the outcome is the same if it has not.
            for (int turns = 0; turns < 10; turns++)
            {
                await client.PingAsync(Token);
            }
        }

        SlowConsumerException e = await Assert.ThrowsAsync<SlowConsumerException>(() => Wait.For(gathering));
        Assert.Contains("more than 1,000 bytes (RequestManyOptions.MaxBytes)", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_for_many_that_has_ended_while_disconnected_is_not_sent_later()
    {
        int clients = 0;
        using var away = new ManualResetEventSlim();
        TaskCompletionSource<string> seen = Wait.Source<string>();
        using var server = new FakeServer(peer =>
        {
            if (Interlocked.Increment(ref clients) == 1)
            {
                peer.ShakeHands();
                return;
            }

            away.Wait(Wait.Limit);
            peer.ShakeHands();
            string line;
            while (!(line = peer.ReadLine()).StartsWith("PUB", StringComparison.Ordinal))
            {
            }

            seen.SetResult(line);
            peer.Discard();
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            new()
            {
                Servers = [server.Url],
                ConnectTimeout = Wait.Limit,
                DrainTimeout = TimeSpan.FromMilliseconds(100),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
            },
            Token);
        await Wait.For(lost);
        Assert.Empty(await client.GatherAsync("given.up", default, new() { Deadline = TimeSpan.FromMilliseconds(20) }, cancellationToken: Token));
        client.Publish("after", default);
        away.Set();
        Assert.StartsWith("PUB after", await Wait.For(seen), StringComparison.Ordinal);
        Assert.Equal(1, client.GetStatistics().Lost);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Requests_that_are_answered_and_cancelled_at_once_are_never_confused(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("echo", (in MessageView m) => m.Respond(m.Body));
        int answered = 0;
        int seed = Seed.Next();
        await Parallel.ForAsync(0, 16, Token, async (worker, token) =>
        {
            var random = new Random(seed + worker);
            for (int i = 0; i < 500; i++)
            {
                byte[] body = BitConverter.GetBytes((worker * 1000) + i);
                using var cancel = new CancellationTokenSource();
                ValueTask<Message> request = client.RequestAsync("echo", body, TimeSpan.FromMilliseconds(random.Next(3)), cancellationToken: cancel.Token);
                if (random.Next(2) == 0)
                {
                    _ = Task.Run(cancel.Cancel, token);
                }

                try
                {
                    Assert.Equal(body, (await request).Body.ToArray());
                    Interlocked.Increment(ref answered);
                }
                catch (Exception e) when (e is TimeoutException or OperationCanceledException)
                {
                    // Either outcome may come first.
                }
            }
        });
        Assert.Equal(0, client.Core.Requester.Pending);
        // A late reply belongs to none of the requests and is ignored.
        Assert.Equal("last", Text((await client.RequestAsync("echo", "last"u8.ToArray(), Wait.Limit, cancellationToken: Token)).Body));
        Assert.Equal(0, client.GetStatistics().Faults);
    }

    [Fact]
    public async Task A_request_allocates_no_task_and_no_timer()
    {
        // A server in this process would add its own allocations.
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Nats);
        await using BrokerConnection client = await Connect(server);
        client.Subscribe("echo", (in MessageView m) => m.Respond(m.Body));
        byte[] body = new byte[16];
        using var cancel = new CancellationTokenSource();
        long One(int requests)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < requests; i++)
            {
                client.Request("echo", body, Wait.Limit, cancellationToken: cancel.Token);
            }

            return GC.GetTotalAllocatedBytes(precise: true) - before;
        }

        One(500);
        // A reply is an array of its subject and body, about 90 bytes. A task, a timer and a closure would be 300 more.
        // Other threads may add to a round, but none makes it smaller.
        long Least(int requests) => Enumerable.Range(0, 5).Min(_ => One(requests));
        Assert.InRange((Least(3000) - Least(1000)) / 2000, 0, 200);
        async Task<long> OneAsync(int requests)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < requests; i++)
            {
                await client.RequestAsync("echo", body, Wait.Limit, cancellationToken: cancel.Token);
            }

            return GC.GetTotalAllocatedBytes(precise: true) - before;
        }

        async Task<long> LeastAsync(int requests)
        {
            long least = long.MaxValue;
            for (int round = 0; round < 5; round++)
            {
                least = Math.Min(least, await OneAsync(requests));
            }

            return least;
        }

        await OneAsync(500);
        Assert.InRange((await LeastAsync(3000) - await LeastAsync(1000)) / 2000, 0, 200);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_deadline_that_comes_before_another_is_met(ServerKind kind, bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { Loops = group }, Token);
        client.Subscribe("silent", (in MessageView _) => { });
        ValueTask<Message> late = client.RequestAsync("silent", default, TimeSpan.FromMinutes(10), cancellationToken: Token);
        ValueTask<Message> never = client.RequestAsync("silent", default, Timeout.InfiniteTimeSpan, cancellationToken: Token);
        await Assert.ThrowsAsync<TimeoutException>(
            () => Wait.For(client.RequestAsync("silent", default, TimeSpan.FromMilliseconds(30), cancellationToken: Token).AsTask()));
        Assert.False(late.IsCompleted || never.IsCompleted);
        await client.CloseAsync();
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(late.AsTask()));
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(never.AsTask()));
    }
}
