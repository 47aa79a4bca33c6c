using System.Text.Json;
using NATS.Client.Core;
using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;
using NATS.Client.KeyValueStore;
using NATS.Client.ObjectStore;

namespace Broker.Leaf.Tests.Steps;

/// <summary>
/// Uses streams, buckets and object stores with the official .NET client, and keeps the result of each step. The suite
/// with foreign programs compares the results of two servers.
/// </summary>
internal sealed class NatsNetSteps
{
    private readonly List<string> _results = [];

    /// <summary>The name of each step, and its result as JSON if it has one.</summary>
    internal IReadOnlyList<string> Results => _results;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    internal async Task RunAllAsync(NatsJSContext streams, NatsConnection nats)
    {
        await UseStreamsAsync(streams, nats);
        await UseBucketsAsync(new NatsKVContext(streams));
        await UseObjectsAsync(new NatsObjContext(streams));
    }

    private async Task UseStreamsAsync(NatsJSContext streams, NatsConnection nats)
    {
        await RunAsync("account", async () => await streams.GetAccountInfoAsync(Ended));
        await RunAsync("create stream", async () => (await streams.CreateStreamAsync(new StreamConfig("ORDERS", ["orders.>"]), Ended)).Info);
        await RunAsync("get stream", async () => (await streams.GetStreamAsync("ORDERS", cancellationToken: Ended)).Info);
        for (int i = 0; i < 3; i++)
        {
            ulong sequence = (ulong)i + 1;
            await RunAsync("publish", async () => await streams.PublishAsync($"orders.{sequence}", $"order {sequence}", cancellationToken: Ended));
        }

        await RunAsync("core publish", async () =>
        {
            // Nobody acknowledges the message, so the next step could come before it is stored.
            await nats.PublishAsync("orders.core", "core", cancellationToken: Ended);
            await Wait.UntilAsync(async () => (await streams.GetStreamAsync("ORDERS", cancellationToken: Ended)).Info.State.Messages == 4, "the message is stored");
        });
        INatsJSConsumer consumer = null!;
        await RunAsync("create consumer", async () => (consumer = await streams.CreateOrUpdateConsumerAsync("ORDERS", new ConsumerConfig("pull"), Ended)).Info);
        for (int i = 1; i <= 3; i++)
        {
            string subject = $"orders.{i}";
            await RunAsync("next", async () =>
            {
                INatsJSMsg<string> message = (await consumer.NextAsync<string>(cancellationToken: Ended))!;
                Assert.Equal(subject, message.Subject);
                await message.AckAsync(new AckOpts { DoubleAck = true }, Ended);
            });
        }

        await RunAsync("fetch", async () =>
        {
            await foreach (INatsJSMsg<string> message in consumer.FetchAsync<string>(new NatsJSFetchOpts { MaxMsgs = 1 }, cancellationToken: Ended))
            {
                Assert.Equal("orders.core", message.Subject);
                await message.AckAsync(new AckOpts { DoubleAck = true }, Ended);
            }
        });
        await RunAsync("acknowledged", async () =>
        {
            await consumer.RefreshAsync(Ended);
            Assert.Equal("0 0", $"{consumer.Info.NumAckPending} {consumer.Info.NumPending}");
            return consumer.Info;
        });
        await RunAsync("ordered consumer", async () =>
        {
            INatsJSConsumer ordered = await streams.CreateOrderedConsumerAsync("ORDERS", cancellationToken: Ended);
            int count = 0;
            await foreach (INatsJSMsg<string> message in ordered.ConsumeAsync<string>(cancellationToken: Ended))
            {
                Assert.StartsWith("orders.", message.Subject, StringComparison.Ordinal);
                if (++count == 4)
                {
                    break;
                }
            }
        });
        await RunAsync("list", async () =>
        {
            var names = new List<string>();
            await foreach (string name in streams.ListStreamNamesAsync(cancellationToken: Ended))
            {
                names.Add(name);
            }

            Assert.Equal(["ORDERS"], names);
        });
        await RunAsync("purge", async () => await streams.PurgeStreamAsync("ORDERS", new StreamPurgeRequest(), Ended));
        await RunAsync("delete consumer", async () => await streams.DeleteConsumerAsync("ORDERS", "pull", Ended));
        await RunAsync("delete stream", async () => await streams.DeleteStreamAsync("ORDERS", Ended));
    }

    private async Task UseBucketsAsync(NatsKVContext buckets)
    {
        INatsKVStore bucket = null!;
        ulong revision = 0;
        await RunAsync("create bucket", async () => (await (bucket = await buckets.CreateStoreAsync(new NatsKVConfig("b") { History = 5 }, Ended)).GetStatusAsync(Ended)).Info);
        await RunAsync("put", async () => revision = await bucket.PutAsync("k", "one", cancellationToken: Ended));
        await RunAsync("get", async () => EntryOf(await bucket.GetEntryAsync<string>("k", cancellationToken: Ended)));
        await RunAsync("update", async () => revision = await bucket.UpdateAsync("k", "two", revision, cancellationToken: Ended));
        await RunAsync("wrong revision", async () => (await Assert.ThrowsAsync<NatsKVWrongLastRevisionException>(() => bucket.UpdateAsync("k", "x", revision + 7, cancellationToken: Ended).AsTask())).Message);
        await RunAsync("create", async () => await bucket.CreateAsync("new", "first", cancellationToken: Ended));
        await RunAsync("create again", async () => (await Assert.ThrowsAsync<NatsKVCreateException>(() => bucket.CreateAsync("new", "second", cancellationToken: Ended).AsTask())).Message);
        await RunAsync("watch", async () =>
        {
            var seen = new HashSet<string>(StringComparer.Ordinal);
            await foreach (NatsKVEntry<string> entry in bucket.WatchAsync<string>(cancellationToken: Ended))
            {
                seen.Add($"{entry.Key}={entry.Value}");
                if (seen.Count == 2)
                {
                    break;
                }
            }

            Assert.Equal(["k=two", "new=first"], seen.Order(StringComparer.Ordinal));
        });
        await RunAsync("watch changes", async () =>
        {
            await foreach (NatsKVEntry<string> entry in bucket.WatchAsync<string>("k", cancellationToken: Ended))
            {
                if (entry.Value == "two")
                {
                    await bucket.PutAsync("k", "three", cancellationToken: Ended);
                }

                if (entry.Value == "three")
                {
                    break;
                }
            }
        });
        await RunAsync("history", async () =>
        {
            var values = new List<string?>();
            await foreach (NatsKVEntry<string> entry in bucket.HistoryAsync<string>("k", cancellationToken: Ended))
            {
                values.Add(entry.Value);
            }

            Assert.Equal(["one", "two", "three"], values);
        });
        await RunAsync("delete", async () => await bucket.DeleteAsync("k", cancellationToken: Ended));
        await RunAsync("deleted", async () => (await Assert.ThrowsAsync<NatsKVKeyDeletedException>(() => bucket.GetEntryAsync<string>("k", cancellationToken: Ended).AsTask())).Revision);
        await RunAsync("missing", async () => (await Assert.ThrowsAsync<NatsKVKeyNotFoundException>(() => bucket.GetEntryAsync<string>("no", cancellationToken: Ended).AsTask())).Message);
        await RunAsync("status", async () => (await bucket.GetStatusAsync(Ended)).Info);
        await RunAsync("delete bucket", async () => await buckets.DeleteStoreAsync("b", Ended));
    }

    private async Task UseObjectsAsync(NatsObjContext stores)
    {
        INatsObjStore objects = null!;
        byte[] content = new byte[300_000];
        new Random(1).NextBytes(content);
        await RunAsync("create store", async () => (await (objects = await stores.CreateObjectStoreAsync("o", Ended)).GetStatusAsync(Ended)).Info);
        await RunAsync("put object", async () => await objects.PutAsync("file", content, Ended));
        await RunAsync("get object", async () => Assert.Equal(content, await objects.GetBytesAsync("file", Ended)));
        await RunAsync("object info", async () => await objects.GetInfoAsync("file", cancellationToken: Ended));
        await RunAsync("delete object and store", async () =>
        {
            await objects.DeleteAsync("file", Ended);
            Assert.True(await stores.DeleteObjectStore("o", Ended));
        });
    }

    private static string EntryOf(NatsKVEntry<string> entry) => $"{entry.Key}={entry.Value} {entry.Revision} {entry.Operation} {entry.Delta}";

    private Task RunAsync(string name, Func<Task> step) => RunAsync<string?>(
        name,
        async () =>
        {
            await step();
            return null;
        });

    private async Task RunAsync<T>(string name, Func<Task<T>> step)
    {
        try
        {
            T result = await step().WaitAsync(Wait.Limit, Ended);
            _results.Add($"{name}: {JsonSerializer.Serialize(result)}");
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"step {_results.Count + 1}, {name}: {e.Message}", e);
        }
    }
}
