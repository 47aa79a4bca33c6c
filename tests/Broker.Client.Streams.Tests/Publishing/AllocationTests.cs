using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Publishing;

/// <summary>
/// The bytes that publishing and consuming allocate, on all threads of this process together. So no other test of the
/// suite runs beside this one.
/// </summary>
[CollectionDefinition(nameof(AllocationTests), DisableParallelization = true)]
[Collection(nameof(AllocationTests))]
public sealed class AllocationTests(SharedServers servers, ITestOutputHelper output)
{
    private const int Count = 50_000;
    private const int InFlight = 500;
    private const int Nexts = 5_000;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.OfOthers), MemberType = typeof(EachServer))]
    public async Task A_publish_in_flight_allocates_at_most_200_bytes_and_consume_with_acknowledgement_150(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { AcknowledgementTimeout = Wait.Limit });
        await site.CreateAsync();
        byte[] body = new byte[128];

        await PublishAsync(site, body, Count / 5);
        long published = await MeasureAsync(() => PublishAsync(site, body, Count));
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker") { MaxAckPending = 10_000 }, Ended);
        await ConsumeAsync(consumer, Count / 5);
        long consumed = await MeasureAsync(() => ConsumeAsync(consumer, Count));
        await site.Streams.DeleteStreamAsync(site.Name, Ended);

        output.WriteLine($"{published} B for a publish, {consumed} B for a consumed message of 128 B");
        Assert.InRange(published, 0, 200);
        Assert.InRange(consumed, 0, 150);
    }

    [Theory]
    [MemberData(nameof(EachServer.OfOthers), MemberType = typeof(EachServer))]
    public async Task Reading_one_message_with_acknowledgement_allocates_at_most_1000_bytes(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { AcknowledgementTimeout = Wait.Limit });
        await site.CreateAsync();
        await PublishAsync(site, new byte[128], 2 * Nexts);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        await NextAsync(consumer, Nexts / 5);
        long read = await MeasureAsync(() => NextAsync(consumer, Nexts), Nexts);
        await site.Streams.DeleteStreamAsync(site.Name, Ended);

        output.WriteLine($"{read} B");
        Assert.InRange(read, 0, 1000);
    }

    private static async Task<long> MeasureAsync(Func<Task> work, int count = Count)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await work();
        return (GC.GetTotalAllocatedBytes(precise: true) - before) / count;
    }

    private static async Task NextAsync(StreamConsumer consumer, int count)
    {
        for (; count > 0; count--)
        {
            StreamMessage? message = await consumer.NextAsync(cancellationToken: CancellationToken.None);
            await message!.Value.AckAsync(CancellationToken.None);
        }
    }

#pragma warning disable CA2012 // Each task is awaited once, before its place is used again.
    private static async Task PublishAsync(StreamSite site, byte[] body, int count)
    {
        string subject = site.Subject();
        var flight = new ValueTask<PublishAck>[InFlight];
        for (int i = 0; i < count + InFlight; i++)
        {
            if (i >= InFlight)
            {
                await flight[i % InFlight];
            }

            if (i < count)
            {
                flight[i % InFlight] = site.Streams.PublishAsync(subject, body, cancellationToken: CancellationToken.None);
            }
        }
    }
#pragma warning restore CA2012

    private static async Task ConsumeAsync(StreamConsumer consumer, int count)
    {
        await foreach (StreamMessage message in consumer.ConsumeAsync(cancellationToken: Ended))
        {
            await message.AckAsync(CancellationToken.None);
            if (--count == 0)
            {
                return;
            }
        }
    }
}
