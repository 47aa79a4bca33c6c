using Broker.Client.Streams.Tests.Support;
using NATS.Client.Core;
using NATS.Client.JetStream;
using NATS.Client.KeyValueStore;

namespace Broker.Client.Streams.Tests.KeyValue;

/// <summary>Buckets that NATS.Net 3.3.2 and this client use together.</summary>
public sealed class NatsNetBucketTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task A_bucket_of_NATS_Net_is_read_watched_and_written(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await using NatsConnection connection = Connect(site);
        INatsKVStore theirs = await new NatsKVContext(new NatsJSContext(connection)).CreateStoreAsync(
            new NatsKVConfig(site.Name) { History = 5, MaxAge = TimeSpan.FromHours(1) }, Ended);
        ulong first = await theirs.PutAsync("a.1", "one", cancellationToken: Ended);
        await theirs.PutAsync("b", "two", cancellationToken: Ended);
        await theirs.DeleteAsync("b", cancellationToken: Ended);
        await theirs.PutAsync("c", "three", cancellationToken: Ended);
        await theirs.PurgeAsync("c", cancellationToken: Ended);

        Bucket ours = await site.Streams.GetBucketAsync(site.Name, Ended);

        BucketEntry entry = await ours.GetAsync("a.1", Ended);
        Assert.Equal(("one", first), (entry.Text, entry.Revision));
        Assert.Null(await ours.FindAsync("b", Ended));
        Assert.Null(await ours.FindAsync("c", Ended));
        Assert.Equal(["a.1"], await ours.KeysAsync(cancellationToken: Ended).ToListAsync(Ended));
        await using var watch = new Watcher(ours.WatchAsync(cancellationToken: Ended));
        Assert.Equal(["a.1=one", "b:Delete", "c:Purge", "complete"], await watch.TakeAsync(4));
        ulong created = await ours.CreateAsync("b", "again", cancellationToken: Ended);
        Assert.Equal("again", (await theirs.GetEntryAsync<string>("b", created, cancellationToken: Ended)).Value);
        Assert.Equal((5L, TimeSpan.FromHours(1)), ((await ours.GetStatusAsync(Ended)).History, (await ours.GetStatusAsync(Ended)).TimeToLive));
    }

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task A_bucket_of_this_client_is_read_watched_and_written_by_NATS_Net(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket ours = await site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { History = 5 }, Ended);
        await ours.PutAsync("a.1", "one", Ended);
        await ours.PutAsync("b", "two", Ended);
        await ours.DeleteAsync("b", cancellationToken: Ended);
        await ours.PutAsync("c", "three", Ended);
        await ours.PurgeAsync("c", cancellationToken: Ended);
        await using NatsConnection connection = Connect(site);

        INatsKVStore theirs = await new NatsKVContext(new NatsJSContext(connection)).GetStoreAsync(site.Name, Ended);

        Assert.Equal("one", (await theirs.GetEntryAsync<string>("a.1", cancellationToken: Ended)).Value);
        Assert.IsType<NatsKVKeyDeletedException>((await theirs.TryGetEntryAsync<string>("b", cancellationToken: Ended)).Error);
        Assert.IsType<NatsKVKeyDeletedException>((await theirs.TryGetEntryAsync<string>("c", cancellationToken: Ended)).Error);
        Assert.Equal(["a.1"], await theirs.GetKeysAsync(cancellationToken: Ended).ToListAsync(Ended));
        Assert.Equal(
            [("a.1", NatsKVOperation.Put), ("b", NatsKVOperation.Del), ("c", NatsKVOperation.Purge)],
            await theirs.WatchAsync<string>(cancellationToken: Ended).Take(3).Select(static entry => (entry.Key, entry.Operation)).ToListAsync(Ended));
        ulong created = await theirs.CreateAsync("b", "again", cancellationToken: Ended);
        Assert.Equal("again", (await ours.GetAsync("b", created, Ended)).Text);
        ulong updated = await theirs.UpdateAsync("b", "more", created, cancellationToken: Ended);
        Assert.Equal(
            ["two", "", "again", "more"], await ours.HistoryAsync("b", Ended).Select(static entry => entry.Text).ToListAsync(Ended));
        WrongRevisionException error = await Assert.ThrowsAsync<WrongRevisionException>(() => ours.UpdateAsync("b", "late", created, Ended));
        Assert.Equal(updated, error.ActualRevision);
    }

    [Theory]
    [MemberData(nameof(EachServer.WithTimesToLive), MemberType = typeof(EachServer))]
    public async Task A_key_of_NATS_Net_with_a_time_to_live_vanishes_and_leaves_a_marker(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await using NatsConnection connection = Connect(site);
        INatsKVStore theirs = await new NatsKVContext(new NatsJSContext(connection)).CreateStoreAsync(
            new NatsKVConfig(site.Name) { LimitMarkerTTL = TimeSpan.FromMinutes(1) }, Ended);
        ulong created = await theirs.CreateAsync("a", "1", TimeSpan.FromSeconds(1), cancellationToken: Ended);

        NatsKVEntry<string> marker = await theirs.WatchAsync<string>(cancellationToken: Ended).FirstAsync(static entry => entry.Operation != NatsKVOperation.Put, Ended);

        Assert.Equal(("a", NatsKVOperation.Purge, created + 1), (marker.Key, marker.Operation, marker.Revision));
        Assert.IsType<NatsKVKeyDeletedException>((await theirs.TryGetEntryAsync<string>("a", cancellationToken: Ended)).Error);
    }

    private static NatsConnection Connect(StreamSite site) => new(new NatsOpts { Url = $"nats://{site.Connection.Server}", CommandTimeout = Wait.Limit });
}
