using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>
/// The server is killed and started again under load. The environment variable BROKER_STREAM_KILLS sets how often.
/// </summary>
public sealed class KillTests(ITestOutputHelper output)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task Each_acknowledged_message_is_handled_and_duplicates_have_the_same_id(string name)
    {
        await using var server = StreamServer.Start(name, ofStreams: "sync_interval: always");
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { AcknowledgementTimeout = Wait.Limit, RequestTimeout = Wait.Limit, NoStreamRetries = 1000, MaxPublishesInFlight = 64 });
        await streams.CreateStreamAsync(new StreamConfig("S", "s.>"), Ended);
        StreamConsumer consumer = await streams.CreateConsumerAsync("S", new ConsumerConfig("worker") { AckWait = TimeSpan.FromSeconds(5) }, Ended);
        var acknowledged = new ConcurrentDictionary<string, ulong>();
        var handled = new ConcurrentDictionary<string, ulong>();
        long lastHandled = 0;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        var reading = Task.Run(
            async () =>
            {
                await foreach (StreamMessage message in consumer.ConsumeAsync(cancellationToken: stop.Token))
                {
                    string id = Encoding.UTF8.GetString(message.Body.Span);
                    Assert.Equal(message.Sequence, handled.GetOrAdd(id, message.Sequence));
                    Volatile.Write(ref lastHandled, Stopwatch.GetTimestamp());
                    await message.AckAsync(Ended);
                }
            },
            Ended);
        bool done = false;
        var publishing = Task.Run(
            async () =>
            {
                for (int i = 0; !Volatile.Read(ref done); i++)
                {
                    string id = $"{i}";
                    PublishAck ack = await streams.PublishAsync("s.a", Encoding.UTF8.GetBytes(id), new StreamPublishOptions { MessageId = id }, cancellationToken: Ended);
                    acknowledged[id] = ack.Sequence;
                }
            },
            Ended);

        var silences = new List<double>();
        for (int i = 0; i < Kills.Count; i++)
        {
            int before = handled.Count;
            await Wait.UntilAsync(() => handled.Count > before + 20);
            server.Restart();
            long started = Stopwatch.GetTimestamp();
            before = handled.Count;
            await Wait.UntilAsync(() => handled.Count > before);
            silences.Add(Stopwatch.GetElapsedTime(started, Volatile.Read(ref lastHandled)).TotalMilliseconds);
        }

        Volatile.Write(ref done, true);
        await Wait.For(publishing);
        await Wait.UntilAsync(() => acknowledged.Keys.All(handled.ContainsKey), () => $"{acknowledged.Keys.Count(id => !handled.ContainsKey(id))} messages were not handled");
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(reading));
        Assert.All(acknowledged, pair => Assert.Equal(pair.Value, handled[pair.Key]));
        silences.Sort();
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{Kills.Count} kills, {acknowledged.Count} messages, next message after the start: median {silences[Kills.Count / 2]:0} ms, longest {silences[^1]:0} ms"));
    }
}
