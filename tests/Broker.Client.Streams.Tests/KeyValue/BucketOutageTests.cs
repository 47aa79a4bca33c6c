using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.KeyValue;

/// <summary>Watches while the server is killed.</summary>
public sealed class BucketOutageTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_goes_on_at_the_reconnect_after_the_server_was_killed(string name)
    {
        await using var server = StreamServer.Start(name);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { RequestTimeout = Wait.Limit, NoStreamRetries = 1000, AcknowledgementTimeout = Wait.Limit });
        Bucket bucket = await streams.CreateBucketAsync("b", Ended);
        await bucket.PutAsync("a", "1", Ended);
        // No heartbeat is missed within the time of a test.
        var options = new BucketWatchOptions { IdleHeartbeat = TimeSpan.FromMinutes(10) };
        await using var watch = new Watcher(bucket.WatchAsync(options: options, cancellationToken: Ended));
        Assert.Equal(["a=1", "complete"], await watch.TakeAsync(2));

        for (int i = 0; i < 3; i++)
        {
            Task<string[]> next = watch.TakeAsync(1);
            server.Restart();
            await Wait.UntilAsync(() => connection.State == ConnectionState.Connected);
            await PutAsync(bucket, $"k{i}");
            Assert.Equal([$"k{i}=v"], await next);
        }
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_of_updates_only_misses_none_that_another_program_writes_during_its_outage(string name)
    {
        await using var server = StreamServer.Start(name);
        await using BrokerConnection writer = await server.ConnectAsync();
        using StreamsClient writers = writer.Streams(new StreamsOptions { RequestTimeout = Wait.Limit });
        Bucket bucket = await writers.CreateBucketAsync(new BucketOptions("b") { History = 5 }, Ended);
        // The reader reconnects later than the writer, which writes meanwhile.
        var pause = TimeSpan.FromSeconds(2);
        await using BrokerConnection reader = await server.ConnectAsync(options => options with { ReconnectWait = pause, MaxReconnectWait = pause });
        using StreamsClient readers = reader.Streams(new StreamsOptions { RequestTimeout = Wait.Limit });
        var watchOptions = new BucketWatchOptions { UpdatesOnly = true, IdleHeartbeat = TimeSpan.FromMinutes(10) };
        await using var watch = new Watcher((await readers.GetBucketAsync("b", Ended)).WatchAsync(options: watchOptions, cancellationToken: Ended));
        Assert.Equal(["complete"], await watch.TakeAsync(1));
        Task<string[]> next = watch.TakeAsync(3);

        server.Restart();
        await Wait.UntilAsync(() => writer.State == ConnectionState.Connected);
        await PutAsync(bucket, "a");
        await PutAsync(bucket, "b");
        await Wait.UntilAsync(() => reader.State == ConnectionState.Connected);
        await PutAsync(bucket, "c");

        Assert.Equal(["a=v", "b=v", "c=v"], await next);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_without_an_initial_set_misses_no_revision_that_is_written_during_its_outage(string name)
    {
        await using var server = StreamServer.Start(name);
        await using BrokerConnection writer = await server.ConnectAsync();
        using StreamsClient writers = writer.Streams(new StreamsOptions { RequestTimeout = Wait.Limit });
        Bucket bucket = await writers.CreateBucketAsync(new BucketOptions("b") { History = 5 }, Ended);
        await PutAsync(bucket, "other");
        var pause = TimeSpan.FromSeconds(2);
        await using BrokerConnection reader = await server.ConnectAsync(options => options with { ReconnectWait = pause, MaxReconnectWait = pause });
        using StreamsClient readers = reader.Streams(new StreamsOptions { RequestTimeout = Wait.Limit });
        var watchOptions = new BucketWatchOptions { IdleHeartbeat = TimeSpan.FromMinutes(10) };
        await using var watch = new Watcher((await readers.GetBucketAsync("b", Ended)).WatchAsync("k.*", watchOptions, Ended));
        Assert.Equal(["complete"], await watch.TakeAsync(1));
        Task<string[]> next = watch.TakeAsync(4);

        server.Restart();
        await Wait.UntilAsync(() => writer.State == ConnectionState.Connected);
        await PutAsync(bucket, "k.a", "1");
        await PutAsync(bucket, "k.a", "2");
        await PutAsync(bucket, "k.b", "3");
        await Wait.UntilAsync(() => reader.State == ConnectionState.Connected);
        await PutAsync(bucket, "k.a", "4");

        Assert.Equal(["k.a=1", "k.a=2", "k.b=3", "k.a=4"], await next);
    }

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task Every_acknowledged_write_under_load_reaches_a_watch_in_order_although_the_server_is_killed(string name)
    {
        await using var server = StreamServer.Start(name, ofStreams: "sync_interval: always");
        await using BrokerConnection reader = await server.ConnectAsync();
        await using BrokerConnection writer = await server.ConnectAsync();
        using StreamsClient readers = reader.Streams(new StreamsOptions { RequestTimeout = Wait.Limit });
        using StreamsClient writers = writer.Streams(new StreamsOptions { NoStreamRetries = 1000, AcknowledgementTimeout = Wait.Limit });
        Bucket written = await writers.CreateBucketAsync(new BucketOptions("b") { History = 1 }, Ended);
        Bucket read = await readers.GetBucketAsync("b", Ended);
        using var done = new CancellationTokenSource();
        var seen = new Dictionary<string, ulong>(StringComparer.Ordinal);
        var watching = Task.Run(
            async () =>
            {
                ulong last = 0;
                await foreach (BucketUpdate update in read.WatchAsync(cancellationToken: Ended))
                {
                    if (update.Entry is { } entry)
                    {
                        Assert.True(entry.Revision > last, $"{entry.Revision} came after {last}");
                        last = entry.Revision;
                        seen[entry.Key] = entry.Revision;
                        if (entry.Key == "end")
                        {
                            return;
                        }
                    }
                }
            },
            Ended);

        var acknowledged = new Dictionary<string, ulong>(StringComparer.Ordinal);
        for (int i = 0; i < 300; i++)
        {
            if (i % 100 == 50)
            {
                server.Restart();
            }

            acknowledged[$"k{i}"] = await PutAsync(written, $"k{i}");
        }

        await PutAsync(written, "end");
        await Wait.For(watching);

        Assert.All(acknowledged, pair => Assert.Equal(pair.Value, seen.GetValueOrDefault(pair.Key)));
    }

    // A write whose outcome is unknown is repeated: it has the same key and the same value.
    private static async Task<ulong> PutAsync(Bucket bucket, string key, string value = "v")
    {
        while (true)
        {
            try
            {
                return await bucket.PutAsync(key, value, Ended);
            }
            catch (UnknownOutcomeException)
            {
                Ended.ThrowIfCancellationRequested();
            }
        }
    }
}
