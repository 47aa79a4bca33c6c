using System.Collections.Concurrent;
using System.Globalization;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.KeyValue;

/// <summary>The server of a bucket is killed and started again while several writers put values.</summary>
public sealed class BucketKillTests(ITestOutputHelper output)
{
    private const int Writers = 8;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task Each_acknowledged_put_is_there_and_a_watch_has_seen_it(string name)
    {
        await using var server = StreamServer.Start(name, ofStreams: "sync_interval: always");
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { RequestTimeout = Wait.Limit, AcknowledgementTimeout = Wait.Limit, NoStreamRetries = 1000 });
        Bucket bucket = await streams.CreateBucketAsync("b", Ended);
        var acknowledged = new ConcurrentDictionary<string, ulong>();
        var seen = new ConcurrentDictionary<(string Key, ulong Revision), string>();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        var watching = Task.Run(() => WatchAsync(bucket, seen, stop.Token), Ended);
        bool done = false;
        Task[] writing = [.. Enumerable.Range(0, Writers).Select(writer => Task.Run(
            async () =>
            {
                for (int i = 0; !Volatile.Read(ref done); i++)
                {
                    string key = $"{writer}.{i}";
                    acknowledged[key] = await PutAsync(bucket, key);
                }
            },
            Ended))];

        for (int i = 0; i < Kills.Count; i++)
        {
            int before = acknowledged.Count;
            await Wait.UntilAsync(() => acknowledged.Count > before + 50);
            server.Restart();
        }

        Volatile.Write(ref done, true);
        await Wait.For(Task.WhenAll(writing));
        foreach ((string key, ulong revision) in acknowledged)
        {
            BucketEntry entry = await bucket.GetAsync(key, cancellationToken: Ended);
            Assert.Equal((revision, key), (entry.Revision, entry.Text));
        }

        await Wait.UntilAsync(() => acknowledged.All(pair => seen.GetValueOrDefault((pair.Key, pair.Value)) == pair.Key));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(watching));
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Kills.Count} kills, {acknowledged.Count} puts"));
    }

    private static async Task WatchAsync(Bucket bucket, ConcurrentDictionary<(string Key, ulong Revision), string> seen, CancellationToken stop)
    {
        await foreach (BucketUpdate update in bucket.WatchAsync(cancellationToken: stop))
        {
            if (update.Entry is { } entry)
            {
                seen[(entry.Key, entry.Revision)] = entry.Text;
            }
        }
    }

    // A put whose outcome is unknown is repeated: it has the same key and the same value.
    private static async Task<ulong> PutAsync(Bucket bucket, string key)
    {
        while (true)
        {
            try
            {
                return await bucket.PutAsync(key, key, Ended);
            }
            catch (UnknownOutcomeException)
            {
                Ended.ThrowIfCancellationRequested();
            }
        }
    }
}
