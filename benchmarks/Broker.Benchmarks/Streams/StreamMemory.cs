using System.Globalization;
using Broker.Benchmarks.NatsNet.Clients;
using Broker.Client.Streams;

namespace Broker.Benchmarks.Streams;

/// <summary>
/// The resident memory of two servers for each stream, consumer and key: how much it grows when many of one kind are
/// created, divided by their number.
/// </summary>
internal static class StreamMemory
{
    private const int InFlight = 64;
    private const string BucketName = "memory";

    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(3);

    /// <param name="output">The writer of the table.</param>
    /// <param name="ours">The first server. It should have no streams.</param>
    /// <param name="other">The server that it is compared with.</param>
    /// <param name="streams">The number of streams.</param>
    /// <param name="consumers">The number of consumers, which are spread over the streams.</param>
    /// <param name="keys">The number of keys, which are all in one bucket.</param>
    /// <param name="settling">How long a server may take to release memory before it is measured.</param>
    internal static async Task RunAsync(TextWriter output, MeasuredServer ours, MeasuredServer other, int streams, int consumers, int keys, TimeSpan? settling = null)
    {
        await output.WriteLineAsync("| bytes of resident memory | first server | second server | ratio |").ConfigureAwait(false);
        await output.WriteLineAsync("|---|---|---|---|").ConfigureAwait(false);
        (string Name, int Count, Func<StreamsClient, int, Task> Create)[] rows =
        [
            ("stream", streams, CreateStreamsAsync), ("consumer", consumers, (client, count) => CreateConsumersAsync(client, count, streams)), ("key", keys, PutKeysAsync),
        ];
        foreach ((string name, int count, Func<StreamsClient, int, Task> create) in rows)
        {
            double first = await GrowthAsync(ours, count, create, settling ?? Settling).ConfigureAwait(false);
            double second = await GrowthAsync(other, count, create, settling ?? Settling).ConfigureAwait(false);
            await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"| {name}, {count:N0} of them | {first:N0} | {second:N0} | {first / second:0.00} |")).ConfigureAwait(false);
        }
    }

    private static async Task<double> GrowthAsync(MeasuredServer server, int count, Func<StreamsClient, int, Task> create, TimeSpan settling)
    {
        // A tenth of them first: code, buffers and tables that do not depend on the number.
        int warmUp = count / 10;
        await create(server.Streams, warmUp).ConfigureAwait(false);
        await Task.Delay(settling).ConfigureAwait(false);
        long before = server.Memory;
        await create(server.Streams, count).ConfigureAwait(false);
        await Task.Delay(settling).ConfigureAwait(false);
        return (double)(server.Memory - before) / (count - warmUp);
    }

    private static async Task CreateStreamsAsync(StreamsClient client, int count)
    {
        int next = 0;
        await Workers.RunAsync(count, InFlight, async () =>
        {
            string name = Name("stream", Interlocked.Increment(ref next));
            await client.CreateStreamAsync(new StreamConfig(name, name)).ConfigureAwait(false);
        }).ConfigureAwait(false);
    }

    // nats-server permits 1,000 consumers of a stream.
    private static async Task CreateConsumersAsync(StreamsClient client, int count, int streams)
    {
        int next = 0;
        await Workers.RunAsync(count, InFlight, async () =>
        {
            int number = Interlocked.Increment(ref next);
            await client.CreateConsumerAsync(Name("stream", 1 + (number % streams)), new ConsumerConfig(Name("consumer", number))).ConfigureAwait(false);
        }).ConfigureAwait(false);
    }

    private static async Task PutKeysAsync(StreamsClient client, int count)
    {
        int next = 0;
        byte[] value = new byte[128];
        Bucket bucket = await client.FindBucketAsync(BucketName).ConfigureAwait(false) ?? await client.CreateBucketAsync(BucketName).ConfigureAwait(false);
        await Workers.RunAsync(count, InFlight, async () => await bucket.PutAsync(Name("key", Interlocked.Increment(ref next)), value).ConfigureAwait(false)).ConfigureAwait(false);
    }

    private static string Name(string kind, int number) => string.Create(CultureInfo.InvariantCulture, $"{kind}-{number}");
}
