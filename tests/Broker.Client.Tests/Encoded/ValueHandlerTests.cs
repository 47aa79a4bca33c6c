using System.Text;
using System.Threading.Channels;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Encoded;

/// <summary>Handlers of values, with a queue of their own or inline on the event loop.</summary>
public sealed class ValueHandlerTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_slow_handler_of_values_does_not_delay_others(ServerKind kind, bool portable)
    {
        const int Messages = 1000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        TaskCompletionSource gate = Wait.Source();
        var awaited = Channel.CreateUnbounded<int>();
        var blocked = Channel.CreateUnbounded<int>();
        await using HandlerBinding awaits = numbers.Subscribe<int>("slow", async number =>
        {
            await gate.Task;
            awaited.Writer.TryWrite(number);
        });
        await using HandlerBinding blocks = numbers.Subscribe<int>("slow", number =>
        {
            gate.Task.Wait(Token);
            blocked.Writer.TryWrite(number);
        });
        await using IAsyncEnumerator<int> read = numbers.ReadAsync<int>("slow", cancellationToken: Token).GetAsyncEnumerator(Token);
        ValueTask<bool> first = read.MoveNextAsync();
        var counter = new Counter(Messages);
        client.Subscribe("slow", counter.Take);
        for (int i = 0; i < Messages; i++)
        {
            numbers.Publish("slow", i);
        }

        await counter.Complete;
        await client.PingAsync(Token);
        foreach (HandlerBinding held in new[] { awaits, blocks })
        {
            // The handler has at most one message.
            Assert.InRange(held.Subscription.GetStatistics().Pending, Messages - 1, Messages);
            Assert.False(held.Completion.IsCompleted);
        }

        gate.SetResult();
        Assert.True(await Wait.For(first.AsTask()));
        for (int i = 0; i < Messages; i++)
        {
            Assert.Equal((i, i), (await Wait.For(awaited.Reader.ReadAsync(Token).AsTask()), await Wait.For(blocked.Reader.ReadAsync(Token).AsTask())));
            Assert.Equal(i, read.Current);
            Assert.True(i == Messages - 1 || await Wait.For(read.MoveNextAsync().AsTask()));
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_queue_of_values_is_limited_and_ends_with_its_subscription(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        TaskCompletionSource gate = Wait.Source();
        var got = new List<int>();
        HandlerBinding newest = numbers.Subscribe<int>(
            "n",
            async (int number, Message message) =>
            {
                await gate.Task;
                Assert.Equal("n", message.Subject);
                got.Add(number);
            },
            new QueueOptions { MaxMessages = 3 });
        HandlerBinding ends = numbers.Subscribe<int>("n", async _ => await gate.Task, new QueueOptions { MaxMessages = 3, WhenFull = FullQueuePolicy.End });
        numbers.Publish("n", 0);
        await client.PingAsync(Token);
        await Wait.UntilAsync(() => newest.Subscription.GetStatistics().Pending + ends.Subscription.GetStatistics().Pending == 0, "both handlers");
        for (int i = 1; i < 10; i++)
        {
            numbers.Publish("n", i);
        }

        await client.PingAsync(Token);
        Assert.Equal((3, 6L), (newest.Subscription.GetStatistics().Pending, newest.Subscription.GetStatistics().Dropped));
        Assert.False(ends.Subscription.Subscription.IsActive);
        await newest.Subscription.DrainAsync(Token);
        Assert.False(newest.Completion.IsCompleted);
        gate.SetResult();
        await Wait.For(newest.Completion);
        Assert.Equal([0, 1, 2, 3], got);
        await Assert.ThrowsAsync<SlowConsumerException>(() => Wait.For(ends.Completion));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_drain_of_the_connection_waits_for_the_handlers_and_sends_the_reply_of_the_last_one(ServerKind kind, bool portable)
    {
        const int Messages = 10;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection asks = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection answers = await Patient.ConnectAsync(server.Options, Token);
        var numbers = new EncodedConnection(answers, TextEncoder.Instance);
        var counter = new Counter(Messages);
        asks.Subscribe("out", counter.Take);
        await asks.PingAsync(Token);
        TaskCompletionSource last = Wait.Source();
        TaskCompletionSource gate = Wait.Source();
        numbers.Subscribe<int>("in", async (number, message) =>
        {
            if (number == Messages - 1)
            {
                last.SetResult();
                await gate.Task;
            }

            numbers.Respond(message, -number);
        });
        await answers.PingAsync(Token);
        for (int i = 0; i < Messages; i++)
        {
            asks.Publish("in", Encoding.ASCII.GetBytes($"{i}"), "out");
        }

        await Wait.For(last);
        Task drain = answers.DrainAsync(Token);
        // Everything has been read, but the last message is not answered yet, so the drain is not done.
        await Wait.UntilAsync(() => answers.Core.Subscriber.Table.Count == 0, "the end of the subscription");
        Assert.False(drain.IsCompleted);
        // The server received all replies before it received the end of the subscription, and it sends them to the
        // other connection before the answer to this connection's PING.
        await asks.PingAsync(Token);
        Assert.Equal(Messages - 1, counter.Count);
        gate.SetResult();
        await Wait.For(drain);
        await counter.Complete;
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_value_that_cannot_be_decoded_or_a_handler_that_throws_is_reported_and_the_next_value_follows(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        Channel<(string Filter, Type Fault)> faults = Channel.CreateUnbounded<(string, Type)>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { OnFault = (s, e) => faults.Writer.TryWrite((s!.Filter, e.GetType())) }, Token);
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        var handled = Channel.CreateUnbounded<int>();
        var inline = Channel.CreateUnbounded<int>();
        var bound = Channel.CreateUnbounded<int>();
        numbers.Subscribe<int>("n", n => Take(handled, n));
        numbers.SubscribeInline<int>("*", n => Take(inline, n));
        await using ChannelBinding binding = numbers.BindReceive(">", bound.Writer);
        numbers.Publish("n", "no number");
        numbers.Publish("n", -1);
        numbers.Publish("n", 1);
        foreach (Channel<int> values in new[] { handled, inline })
        {
            Assert.Equal(1, await Wait.For(values.Reader.ReadAsync(Token).AsTask()));
        }

        Assert.Equal(-1, await Wait.For(bound.Reader.ReadAsync(Token).AsTask()));
        Assert.Equal(1, await Wait.For(bound.Reader.ReadAsync(Token).AsTask()));
        var told = new List<(string, Type)>();
        for (int i = 0; i < 5; i++)
        {
            told.Add(await Wait.For(faults.Reader.ReadAsync(Token).AsTask()));
        }

        Assert.Equivalent(
            new[]
            {
                ("n", typeof(FormatException)), ("n", typeof(InvalidDataException)),
                ("*", typeof(FormatException)), ("*", typeof(InvalidDataException)), (">", typeof(FormatException)),
            },
            told,
            strict: true);

        static void Take(Channel<int> values, int number)
        {
            if (number < 0)
            {
                throw new InvalidDataException();
            }

            values.Writer.TryWrite(number);
        }
    }
}
