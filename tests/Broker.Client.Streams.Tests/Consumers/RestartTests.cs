using System.Diagnostics;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>Reading while the server is killed and started again.</summary>
public sealed class RestartTests(ITestOutputHelper output)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task After_a_restart_the_next_message_comes_without_a_wait_for_a_heartbeat(string name)
    {
        await using StreamServer server = Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { AcknowledgementTimeout = Wait.Limit, RequestTimeout = Wait.Limit, NoStreamRetries = 1000 });
        await streams.CreateStreamAsync(new StreamConfig("S", "s.>"), Ended);
        StreamConsumer consumer = await streams.CreateConsumerAsync("S", new ConsumerConfig("worker"), Ended);
        // Without a request after the reconnect, the next message would come after two heartbeats: two hours.
        var options = new ConsumeOptions { Expires = TimeSpan.FromHours(2), IdleHeartbeat = TimeSpan.FromHours(1) };
        await using IAsyncEnumerator<StreamMessage> reader = consumer.ConsumeAsync(options, Ended).GetAsyncEnumerator(Ended);
        await streams.PublishAsync("s.a", "before"u8.ToArray(), new StreamPublishOptions { MessageId = "1" }, cancellationToken: Ended);
        Assert.True(await reader.MoveNextAsync());
        await reader.Current.AckAndConfirmAsync(Ended);

        server.Restart();
        long started = Stopwatch.GetTimestamp();
        await streams.PublishAsync("s.a", "after"u8.ToArray(), new StreamPublishOptions { MessageId = "2" }, cancellationToken: Ended);
        do
        {
            // The killed server may have forgotten the acknowledgement of the first message.
            Assert.True(await Wait.For(reader.MoveNextAsync().AsTask()));
        }
        while (reader.Current.Sequence == 1);

        Assert.Equal("after"u8.ToArray(), reader.Current.Body.ToArray());
        output.WriteLine($"the next message came {Stopwatch.GetElapsedTime(started).TotalMilliseconds:0} ms after the start of nats-server");
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_consumer_in_memory_that_a_restart_has_removed_is_told_of_at_once(string name)
    {
        await using StreamServer server = Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { RequestTimeout = Wait.Limit });
        await streams.CreateStreamAsync(new StreamConfig("S", "s.>"), Ended);
        StreamConsumer consumer = await streams.CreateConsumerAsync("S", new ConsumerConfig { MemoryStorage = true, InactiveThreshold = TimeSpan.FromHours(1) }, Ended);
        var options = new ConsumeOptions { Expires = TimeSpan.FromHours(2), IdleHeartbeat = TimeSpan.FromHours(1) };
        Task<List<ulong>> reading = ConsumeTests.SequencesAsync(consumer.ConsumeAsync(options, Ended));
        await Wait.UntilAsync(async () => (await streams.GetConsumerInfoAsync("S", consumer.Name, Ended)).Waiting > 0);

        server.Restart();

        ConsumerGoneException gone = await Assert.ThrowsAsync<ConsumerGoneException>(() => Wait.For(reading));
        Assert.Contains("RecreateMissing", gone.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_consumer_in_memory_is_created_again_if_the_reader_wants_it(string name)
    {
        await using StreamServer server = Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { AcknowledgementTimeout = Wait.Limit, RequestTimeout = Wait.Limit, NoStreamRetries = 1000 });
        await streams.CreateStreamAsync(new StreamConfig("S", "s.>"), Ended);
        await streams.PublishAsync("s.a", "before"u8.ToArray(), cancellationToken: Ended);
        StreamConsumer consumer = await streams.CreateConsumerAsync("S", new ConsumerConfig { MemoryStorage = true, InactiveThreshold = TimeSpan.FromHours(1) }, Ended);
        var options = new ConsumeOptions { Expires = TimeSpan.FromHours(2), IdleHeartbeat = TimeSpan.FromHours(1), RecreateMissing = true };
        await using IAsyncEnumerator<StreamMessage> reader = consumer.ConsumeAsync(options, Ended).GetAsyncEnumerator(Ended);
        Assert.True(await reader.MoveNextAsync());
        await reader.Current.AckAsync(Ended);

        server.Restart();
        await streams.PublishAsync("s.a", "after"u8.ToArray(), new StreamPublishOptions { MessageId = "2" }, cancellationToken: Ended);

        Assert.True(await Wait.For(reader.MoveNextAsync().AsTask()));
        Assert.Equal("after"u8.ToArray(), reader.Current.Body.ToArray());
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_connection_that_gives_up_ends_the_reading_with_an_error(string name)
    {
        await using StreamServer server = Start(name);
        await using BrokerConnection connection = await server.ConnectAsync(static options => options with { MaxReconnectAttempts = 1 });
        using StreamsClient streams = connection.Streams();
        await streams.CreateStreamAsync(new StreamConfig("S", "s.>"), Ended);
        StreamConsumer consumer = await streams.CreateConsumerAsync("S", new ConsumerConfig("worker"), Ended);
        Task<List<ulong>> reading = ConsumeTests.SequencesAsync(consumer.ConsumeAsync(cancellationToken: Ended));
        await Wait.UntilAsync(async () => (await streams.GetConsumerInfoAsync("S", consumer.Name, Ended)).Waiting > 0);

        server.Kill();

        StreamException closed = await Assert.ThrowsAsync<StreamException>(() => Wait.For(reading));
        Assert.Contains("connection was closed", closed.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task An_ordered_reader_goes_on_after_a_restart_without_a_gap(string name)
    {
        await using StreamServer server = Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { AcknowledgementTimeout = Wait.Limit, RequestTimeout = Wait.Limit, NoStreamRetries = 1000 });
        await streams.CreateStreamAsync(new StreamConfig("S", "s.>"), Ended);
        await using IAsyncEnumerator<StreamMessage> reader = streams.ReadOrderedAsync(
            "S", new OrderedOptions { IdleHeartbeat = TimeSpan.FromHours(1) }, Ended).GetAsyncEnumerator(Ended);
        for (ulong i = 1; i <= 6; i++)
        {
            if (i is 3 or 5)
            {
                server.Restart();
            }

            await streams.PublishAsync("s.a", default, new StreamPublishOptions { MessageId = $"{i}" }, cancellationToken: Ended);
            Assert.True(await Wait.For(reader.MoveNextAsync().AsTask()));
            Assert.Equal(i, reader.Current.Sequence);
        }
    }

    // A server that writes each message to the disk loses none of them when it is killed. nats-server 2.9 has no such
    // option, and writes them soon.
    private static StreamServer Start(string name) => StreamServer.Start(name, ofStreams: name == StreamServer.Installed ? "" : "sync_interval: always");
}
