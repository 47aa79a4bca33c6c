using Broker.Benchmarks.NatsNet.Clients;
using Broker.Client.Streams;
using NATS.Client.Core;
using NATS.Client.JetStream;
using ConsumerConfig = Broker.Client.Streams.ConsumerConfig;
using StreamConfig = Broker.Client.Streams.StreamConfig;

namespace Broker.Benchmarks.NatsNet;

/// <summary>Messages of a stream: acknowledged publish, consume, fetch and ordered reading.</summary>
/// <param name="ours">This client.</param>
/// <param name="connection">The connection of NATS.Net.</param>
/// <param name="storage">The storage of the stream.</param>
internal sealed class StreamContests(StreamsClient ours, NatsConnection connection, StorageType storage)
{
    private const string Stream = "CONTEST";
    private const string Subject = "contest.stored";
    private const string Consumer = "reader";
    private const int InFlight = 500;

    private readonly NatsJSContext _theirs = new(connection);
    private readonly byte[] _body = new byte[128];

    internal IEnumerable<Contest> All(int scale)
    {
        int count = 500 * scale;
        yield return new Contest("publish to a stream, 500 in flight", count, EmptyAsync, PublishAsync, PublishTheirsAsync);
        yield return new Contest("publish to a stream, one at a time", 20 * scale, EmptyAsync, PublishEachAsync, PublishEachTheirsAsync);
        yield return new Contest("consume and acknowledge", count, FillAsync, ConsumeAsync, ConsumeTheirsAsync);
        yield return new Contest("fetch 500 and acknowledge", count, FillAsync, FetchAsync, FetchTheirsAsync);
        yield return new Contest("next and acknowledge", 20 * scale, FillAsync, NextAsync, NextTheirsAsync);
        yield return new Contest("read in order", count, FillAsync, OrderedAsync, OrderedTheirsAsync);
    }

    private async Task EmptyAsync(int _)
    {
        await ours.DeleteStreamAsync(Stream).ConfigureAwait(false);
        await ours.CreateStreamAsync(new StreamConfig(Stream, Subject) { Storage = storage }).ConfigureAwait(false);
    }

    private async Task FillAsync(int count)
    {
        await EmptyAsync(count).ConfigureAwait(false);
        await PublishAsync(count).ConfigureAwait(false);
        await ours.CreateConsumerAsync(Stream, new ConsumerConfig(Consumer) { MaxAckPending = 10_000 }).ConfigureAwait(false);
    }

    private Task PublishAsync(int count)
        => Workers.RunAsync(count, InFlight, async () => await ours.PublishAsync(Subject, _body).ConfigureAwait(false));

    private Task PublishTheirsAsync(int count)
        => Workers.RunAsync(count, InFlight, async () => await _theirs.PublishAsync(Subject, _body).ConfigureAwait(false));

    private async Task PublishEachAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await ours.PublishAsync(Subject, _body).ConfigureAwait(false);
        }
    }

    private async Task PublishEachTheirsAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await _theirs.PublishAsync(Subject, _body).ConfigureAwait(false);
        }
    }

    private async Task ConsumeAsync(int count)
    {
        StreamConsumer consumer = await ours.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        await foreach (StreamMessage message in consumer.ConsumeAsync().ConfigureAwait(false))
        {
            await message.AckAsync().ConfigureAwait(false);
            if (--count == 0)
            {
                break;
            }
        }
    }

    private async Task ConsumeTheirsAsync(int count)
    {
        INatsJSConsumer consumer = await _theirs.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        await foreach (INatsJSMsg<byte[]> message in consumer.ConsumeAsync<byte[]>().ConfigureAwait(false))
        {
            await message.AckAsync().ConfigureAwait(false);
            if (--count == 0)
            {
                break;
            }
        }
    }

    private async Task FetchAsync(int count)
    {
        StreamConsumer consumer = await ours.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        while (count > 0)
        {
            await foreach (StreamMessage message in consumer.FetchAsync(new FetchOptions { MaxMessages = InFlight }).ConfigureAwait(false))
            {
                await message.AckAsync().ConfigureAwait(false);
                count--;
            }
        }
    }

    private async Task FetchTheirsAsync(int count)
    {
        INatsJSConsumer consumer = await _theirs.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        while (count > 0)
        {
            await foreach (INatsJSMsg<byte[]> message in consumer.FetchAsync<byte[]>(new NatsJSFetchOpts { MaxMsgs = InFlight }).ConfigureAwait(false))
            {
                await message.AckAsync().ConfigureAwait(false);
                count--;
            }
        }
    }

    private async Task NextAsync(int count)
    {
        StreamConsumer consumer = await ours.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        for (; count > 0; count--)
        {
            StreamMessage? message = await consumer.NextAsync().ConfigureAwait(false);
            await message!.Value.AckAsync().ConfigureAwait(false);
        }
    }

    private async Task NextTheirsAsync(int count)
    {
        INatsJSConsumer consumer = await _theirs.GetConsumerAsync(Stream, Consumer).ConfigureAwait(false);
        for (; count > 0; count--)
        {
            INatsJSMsg<byte[]>? message = await consumer.NextAsync<byte[]>().ConfigureAwait(false);
            await message!.AckAsync().ConfigureAwait(false);
        }
    }

    private async Task OrderedAsync(int count)
    {
        await foreach (StreamMessage _ in ours.ReadOrderedAsync(Stream).ConfigureAwait(false))
        {
            if (--count == 0)
            {
                break;
            }
        }
    }

    private async Task OrderedTheirsAsync(int count)
    {
        INatsJSConsumer consumer = await _theirs.CreateOrderedConsumerAsync(Stream).ConfigureAwait(false);
        await foreach (INatsJSMsg<byte[]> _ in consumer.ConsumeAsync<byte[]>().ConfigureAwait(false))
        {
            if (--count == 0)
            {
                break;
            }
        }
    }
}
