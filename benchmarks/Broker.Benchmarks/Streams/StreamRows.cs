using System.Globalization;
using Broker.Benchmarks.NatsNet.Clients;
using Broker.Client.Streams;

namespace Broker.Benchmarks.Streams;

/// <summary>Messages of a stream and keys of a bucket, with this project's client.</summary>
/// <param name="storage">Where the streams store their messages.</param>
internal sealed class StreamRows(StorageType storage)
{
    private const string Stream = "RATES";
    private const string Subject = "rates.stored";
    private const string Consumer = "reader";
    private const string BucketName = "rates";
    private const int InFlight = 500;
    private const int KeysInFlight = 64;
    private const int Keys = 1000;

    private readonly byte[] _body = new byte[128];
    private readonly string[] _keys = [.. Enumerable.Range(0, Keys).Select(static i => i.ToString("key.0000", CultureInfo.InvariantCulture))];

    internal IEnumerable<StreamRow> All(int scale)
    {
        int many = 500 * scale;
        int few = 20 * scale;
        yield return new StreamRow("publish, 500 in flight", many, EmptyAsync, PublishAsync);
        yield return new StreamRow("publish, one at a time", few, EmptyAsync, PublishEachAsync);
        yield return new StreamRow("consume and acknowledge", many, FillAsync, ConsumeAsync);
        yield return new StreamRow("fetch 500 and acknowledge", many, FillAsync, FetchAsync);
        yield return new StreamRow("next and acknowledge", few, FillAsync, NextAsync);
        yield return new StreamRow("read in order", many, FillAsync, ReadAsync);
        yield return new StreamRow("KV put, 64 in flight", 100 * scale, EmptyBucketAsync, PutAsync);
        yield return new StreamRow("KV put, one at a time", few, EmptyBucketAsync, PutEachAsync);
        yield return new StreamRow("KV get, 64 in flight", 200 * scale, FillBucketAsync, GetAsync);
        yield return new StreamRow("KV get, one at a time", few, FillBucketAsync, GetEachAsync);
    }

    private async Task EmptyAsync(StreamsClient client, int count)
    {
        await client.DeleteStreamAsync(Stream).ConfigureAwait(false);
        await client.CreateStreamAsync(new StreamConfig(Stream, Subject) { Storage = storage }).ConfigureAwait(false);
    }

    private async Task FillAsync(StreamsClient client, int count)
    {
        await EmptyAsync(client, count).ConfigureAwait(false);
        await PublishAsync(client, count).ConfigureAwait(false);
        await client.CreateConsumerAsync(Stream, new ConsumerConfig(Consumer) { MaxAckPending = 10_000 }).ConfigureAwait(false);
    }

    private Task PublishAsync(StreamsClient client, int count)
        => Workers.RunAsync(count, InFlight, async () => await client.PublishAsync(Subject, _body).ConfigureAwait(false));

    private async Task PublishEachAsync(StreamsClient client, int count)
    {
        for (int i = 0; i < count; i++)
        {
            await client.PublishAsync(Subject, _body).ConfigureAwait(false);
        }
    }

    private static async Task ConsumeAsync(StreamsClient client, int count)
    {
        StreamConsumer consumer = await client.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        await foreach (StreamMessage message in consumer.ConsumeAsync().ConfigureAwait(false))
        {
            await message.AckAsync().ConfigureAwait(false);
            if (--count == 0)
            {
                break;
            }
        }
    }

    private static async Task FetchAsync(StreamsClient client, int count)
    {
        StreamConsumer consumer = await client.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        while (count > 0)
        {
            await foreach (StreamMessage message in consumer.FetchAsync(new FetchOptions { MaxMessages = InFlight }).ConfigureAwait(false))
            {
                await message.AckAsync().ConfigureAwait(false);
                count--;
            }
        }
    }

    private static async Task NextAsync(StreamsClient client, int count)
    {
        StreamConsumer consumer = await client.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        for (; count > 0; count--)
        {
            StreamMessage? message = await consumer.NextAsync().ConfigureAwait(false);
            await message!.Value.AckAsync().ConfigureAwait(false);
        }
    }

    private static async Task ReadAsync(StreamsClient client, int count)
    {
        await foreach (StreamMessage _ in client.ReadOrderedAsync(Stream).ConfigureAwait(false))
        {
            if (--count == 0)
            {
                break;
            }
        }
    }

    private async Task EmptyBucketAsync(StreamsClient client, int count)
    {
        await client.DeleteBucketAsync(BucketName).ConfigureAwait(false);
        await client.CreateBucketAsync(new BucketOptions(BucketName) { Storage = storage }).ConfigureAwait(false);
    }

    private async Task FillBucketAsync(StreamsClient client, int count)
    {
        await EmptyBucketAsync(client, count).ConfigureAwait(false);
        await PutAsync(client, Keys).ConfigureAwait(false);
    }

    private async Task PutAsync(StreamsClient client, int count)
    {
        Bucket bucket = await client.GetBucketAsync(BucketName).ConfigureAwait(false);
        int next = 0;
        await Workers.RunAsync(count, KeysInFlight, async () => await bucket.PutAsync(_keys[(uint)Interlocked.Increment(ref next) % Keys], _body).ConfigureAwait(false)).ConfigureAwait(false);
    }

    private async Task PutEachAsync(StreamsClient client, int count)
    {
        Bucket bucket = await client.GetBucketAsync(BucketName).ConfigureAwait(false);
        for (int i = 0; i < count; i++)
        {
            await bucket.PutAsync(_keys[i % Keys], _body).ConfigureAwait(false);
        }
    }

    private async Task GetAsync(StreamsClient client, int count)
    {
        Bucket bucket = await client.GetBucketAsync(BucketName).ConfigureAwait(false);
        int next = 0;
        await Workers.RunAsync(count, KeysInFlight, async () => await bucket.GetAsync(_keys[(uint)Interlocked.Increment(ref next) % Keys]).ConfigureAwait(false)).ConfigureAwait(false);
    }

    private async Task GetEachAsync(StreamsClient client, int count)
    {
        Bucket bucket = await client.GetBucketAsync(BucketName).ConfigureAwait(false);
        for (int i = 0; i < count; i++)
        {
            await bucket.GetAsync(_keys[i % Keys]).ConfigureAwait(false);
        }
    }
}
