using System.Collections.Concurrent;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

/// <summary>Handlers that own their messages: <c>m => …</c> and <c>async m => …</c>.</summary>
public sealed class OwnedHandlerTests
{
    private const int Messages = 500;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_compiler_chooses_the_handler_that_is_meant()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        int got = 0;
        void Borrow(in MessageView message) => Interlocked.Increment(ref got);
        void Own(Message message) => Interlocked.Increment(ref got);
        Task OwnLaterAsync(Message message)
        {
            Interlocked.Increment(ref got);
            return Task.CompletedTask;
        }

        ValueTask OwnSoonAsync(Message message)
        {
            Interlocked.Increment(ref got);
            return ValueTask.CompletedTask;
        }

        Subscription[] borrowing =
        [
            client.Subscribe("a", Borrow),
            client.Subscribe("a", (in m) => Interlocked.Increment(ref got)),
            client.Subscribe("a", (in MessageView m) => Interlocked.Increment(ref got)),
            client.Subscribe("a", static (in m) => ((Action)m.Subscription.State!)(), state: (Action)(() => Interlocked.Increment(ref got))),
        ];
        HandlerBinding[] owning =
        [
            client.Subscribe("a", Own),
            client.Subscribe("a", OwnLaterAsync),
            client.Subscribe("a", OwnSoonAsync),
            client.Subscribe("a", m => Interlocked.Increment(ref got)),
            client.Subscribe("a", m => { Interlocked.Increment(ref got); }),
            client.Subscribe("a", m => OwnLaterAsync(m)),
            client.Subscribe("a", m => OwnSoonAsync(m)),
            client.Subscribe("a", async m => await OwnLaterAsync(m), queue: "one"),
            client.Subscribe("a", async m =>
            {
                await Task.Yield();
                Interlocked.Increment(ref got);
            }),
        ];
        Assert.Throws<ArgumentNullException>(() => client.Subscribe("a", (Action<Message>)null!));
        Assert.Throws<ArgumentNullException>(() => client.Subscribe("a", (Func<Message, Task>)null!));
        Assert.Throws<ArgumentNullException>(() => client.Subscribe("a", (Func<Message, ValueTask>)null!));

        client.Publish("a", "x");
        await client.DrainAsync(Token);
        Assert.Equal(borrowing.Length + owning.Length, Volatile.Read(ref got));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task An_async_handler_keeps_its_message_and_runs_one_at_a_time_in_order(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var kept = new List<Message>();
        var texts = new List<string>();
        int running = 0;
        int most = 0;
        await using HandlerBinding binding = client.Subscribe("a.*", async message =>
        {
            most = Math.Max(most, Interlocked.Increment(ref running));
            string before = message.ToString();
            // Later messages reuse the receive buffer meanwhile.
            await Task.Yield();
            Assert.Equal(before, message.ToString());
            kept.Add(message);
            texts.Add(message.Text);
            Interlocked.Decrement(ref running);
        });
        for (int i = 0; i < Messages; i++)
        {
            client.Publish($"a.{i}", $"text {i}", "reply.to", new MessageHeaders { ["Number"] = $"{i}" });
        }

        await client.DrainAsync(Token);
        await Wait.For(binding.Completion);
        Assert.Equal(Enumerable.Range(0, Messages).Select(static i => $"text {i}"), texts);
        Assert.Equal(1, most);

        // The messages are valid after their handlers, and even after the connection.
        Assert.Equal(
            Enumerable.Range(0, Messages).Select(static i => ($"a.{i}", $"text {i}", (string?)"reply.to", (string?)$"{i}")),
            kept.Select(static m => (m.Subject, m.Text, m.ReplyTo, m.Headers["Number"])));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task An_exception_of_a_handler_is_reported_and_the_next_message_follows(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        var faults = new ConcurrentQueue<(Subscription? Subscription, Exception Error)>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { OnFault = (subscription, error) => faults.Enqueue((subscription, error)) }, Token);
        TaskCompletionSource<string> next = Wait.Source<string>();
        TaskCompletionSource<string> nextLater = Wait.Source<string>();
        await using HandlerBinding at = client.Subscribe("a", m => next.TrySetResult(m.Text == "bad" ? throw new InvalidDataException("at once") : m.Text));
        await using HandlerBinding later = client.Subscribe("a", async m =>
        {
            await Task.Yield();
            nextLater.TrySetResult(m.Text == "bad" ? throw new InvalidDataException("later") : m.Text);
        });
        client.Publish("a", "bad");
        client.Publish("a", "good");
        Assert.Equal(("good", "good"), (await Wait.For(next), await Wait.For(nextLater)));
        await Wait.UntilAsync(() => faults.Count == 2, "both faults");
        Assert.Equal(
            [(at.Subscription.Subscription, "at once"), (later.Subscription.Subscription, "later")],
            faults.Select(static f => (f.Subscription!, f.Error.Message)).OrderBy(static f => f.Message, StringComparer.Ordinal));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_handler_that_blocks_does_not_delay_the_connection(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        using var mayGoOn = new ManualResetEventSlim();
        TaskCompletionSource blocked = Wait.Source();
        await using HandlerBinding binding = client.Subscribe("a", _ =>
        {
            blocked.TrySetResult();
            Assert.True(mayGoOn.Wait(Wait.Limit));
        });
        client.Publish("a", "x");
        await Wait.For(blocked);
        await client.PingAsync(Token);
        mayGoOn.Set();
        await client.DrainAsync(Token);
        await Wait.For(binding.Completion);
    }

    [Fact]
    public async Task Handlers_share_a_queue_group_and_end_when_they_are_disposed()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        int got = 0;
        ValueTask CountAsync()
        {
            Interlocked.Increment(ref got);
            return ValueTask.CompletedTask;
        }

        HandlerBinding one = client.Subscribe("a", _ => Interlocked.Increment(ref got), "workers", new QueueOptions { MaxMessages = 10_000 });
        HandlerBinding other = client.Subscribe("a", _ => CountAsync(), queue: "workers");
        for (int i = 0; i < Messages; i++)
        {
            client.Publish("a", "x");
        }

        await client.DrainSubscriptionsAsync(Token);
        await Wait.For(Task.WhenAll(one.Completion, other.Completion));
        Assert.Equal(Messages, Volatile.Read(ref got));

        HandlerBinding ended = client.Subscribe("a", _ => Interlocked.Increment(ref got));
        await ended.DisposeAsync();
        client.Publish("a", "x");
        await client.PingAsync(Token);
        await Wait.For(ended.Completion);
        Assert.Equal(Messages, Volatile.Read(ref got));
    }
}
