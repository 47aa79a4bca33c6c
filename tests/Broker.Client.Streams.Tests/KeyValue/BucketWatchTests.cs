using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.KeyValue;

public sealed class BucketWatchTests(SharedServers servers)
{
    private const string Complete = "complete";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_returns_the_last_revisions_then_the_signal_then_updates(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        await bucket.PutAsync("a", "1", Ended);
        await bucket.PutAsync("b", "2", Ended);
        await bucket.PutAsync("a", "3", Ended);
        await bucket.DeleteAsync("b", cancellationToken: Ended);

        await using var watch = new Watcher(bucket.WatchAsync(cancellationToken: Ended));
        Assert.Equal(["a=3", "b:Delete", Complete], await watch.TakeAsync(3));
        await bucket.PutAsync("c", "4", Ended);
        await bucket.PurgeAsync("a", cancellationToken: Ended);

        Assert.Equal(["c=4", "a:Purge"], await watch.TakeAsync(2));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task An_empty_and_an_all_deleted_bucket_get_the_signal_too(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        await using var empty = new Watcher(bucket.WatchAsync(cancellationToken: Ended));
        Assert.Equal([Complete], await empty.TakeAsync(1));
        await bucket.DeleteAsync("a", cancellationToken: Ended);

        await using var deleted = new Watcher(bucket.WatchAsync(options: new BucketWatchOptions { IgnoreDeletes = true }, cancellationToken: Ended));
        await using var filtered = new Watcher(bucket.WatchAsync("other.*", cancellationToken: Ended));

        Assert.Equal([Complete], await deleted.TakeAsync(1));
        Assert.Equal([Complete], await filtered.TakeAsync(1));
        await bucket.DeleteAsync("a", cancellationToken: Ended);
        await bucket.PutAsync("a", "1", Ended);
        Assert.Equal(["a=1"], await deleted.TakeAsync(1));
        Assert.Equal(["a:Delete", "a:Delete", "a=1"], await empty.TakeAsync(3));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_filter_selects_keys(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        foreach (string key in (string[])["x.1", "x.2", "x.2.deep", "y.1"])
        {
            await bucket.PutAsync(key, key, Ended);
        }

        Assert.Equal(["x.1", "x.2"], await bucket.KeysAsync("x.*", Ended).ToListAsync(Ended));
        Assert.Equal(["x.1", "x.2", "x.2.deep"], await bucket.KeysAsync("x.>", Ended).ToListAsync(Ended));
        Assert.Equal(["x.1", "y.1"], await bucket.KeysAsync("*.1", Ended).ToListAsync(Ended));
        Assert.Equal(["y.1"], await bucket.KeysAsync("y.1", Ended).ToListAsync(Ended));
        await using var watch = new Watcher(bucket.WatchAsync("x.>", cancellationToken: Ended));
        Assert.Equal(["x.1=x.1", "x.2=x.2", "x.2.deep=x.2.deep", Complete], await watch.TakeAsync(4));
    }

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task Several_filters_select_keys(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        foreach (string key in (string[])["x.1", "y.1", "z.1"])
        {
            await bucket.PutAsync(key, key, Ended);
        }

        Assert.Equal(["x.1", "z.1"], await bucket.KeysAsync(["x.*", "z.1"], Ended).ToListAsync(Ended));
        await using var watch = new Watcher(bucket.WatchAsync(["x.*", "z.1"], cancellationToken: Ended));
        Assert.Equal(["x.1=x.1", "z.1=z.1", Complete], await watch.TakeAsync(3));
    }

    [Fact]
    public async Task A_server_without_several_filters_is_named_as_the_cause()
    {
        await using StreamSite site = await servers.ConnectAsync(StreamServer.Installed);
        Bucket bucket = await CreateAsync(site);

        StreamException error = await Assert.ThrowsAsync<StreamException>(() => bucket.KeysAsync(["a", "b"], Ended).ToListAsync(Ended).AsTask());

        Assert.Contains("several filters", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Keys_are_those_with_a_value(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        Assert.Empty(await bucket.KeysAsync(cancellationToken: Ended).ToListAsync(Ended));
        await bucket.PutAsync("a", new byte[10_000], Ended);
        await bucket.PutAsync("b", "1", Ended);
        await bucket.PutAsync("c", "1", Ended);
        await bucket.DeleteAsync("b", cancellationToken: Ended);
        await bucket.PurgeAsync("c", cancellationToken: Ended);

        Assert.Equal(["a"], await bucket.KeysAsync(cancellationToken: Ended).ToListAsync(Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_history_has_the_kept_revisions_of_a_key(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site, history: 3);
        await bucket.PutAsync("a", "1", Ended);
        await bucket.PutAsync("a", "2", Ended);
        await bucket.PutAsync("b", "x", Ended);
        await bucket.DeleteAsync("a", cancellationToken: Ended);
        await bucket.PutAsync("a", "3", Ended);

        List<BucketEntry> history = await bucket.HistoryAsync("a", Ended).ToListAsync(Ended);

        Assert.Equal([("2", 2ul), ("", 4ul), ("3", 5ul)], history.Select(static entry => (entry.Text, entry.Revision)));
        Assert.True(history[1].IsDeleted);
        Assert.Empty(await bucket.HistoryAsync("never", Ended).ToListAsync(Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_options_say_where_a_watch_begins_and_what_it_returns(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site, history: 5);
        await bucket.PutAsync("a", "1", Ended);
        ulong second = await bucket.PutAsync("a", "2", Ended);
        await bucket.PutAsync("b", "3", Ended);

        await using var all = new Watcher(bucket.WatchAsync(options: new BucketWatchOptions { IncludeHistory = true }, cancellationToken: Ended));
        await using var resumed = new Watcher(bucket.WatchAsync(options: new BucketWatchOptions { FromRevision = second }, cancellationToken: Ended));
        await using var updates = new Watcher(bucket.WatchAsync(options: new BucketWatchOptions { UpdatesOnly = true }, cancellationToken: Ended));
        await using var metadata = new Watcher(bucket.WatchAsync(options: new BucketWatchOptions { MetadataOnly = true }, cancellationToken: Ended));

        Assert.Equal(["a=1", "a=2", "b=3", Complete], await all.TakeAsync(4));
        Assert.Equal(["a=2", "b=3", Complete], await resumed.TakeAsync(3));
        Assert.Equal([Complete], await updates.TakeAsync(1));
        Assert.Equal(["a=", "b=", Complete], await metadata.TakeAsync(3));
        await bucket.PutAsync("c", "4", Ended);
        Assert.Equal(["c=4"], await updates.TakeAsync(1));
        Assert.Equal(["c="], await metadata.TakeAsync(1));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Deleted_keys_are_removed_and_later_values_stay(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site, history: 5);
        await bucket.PutAsync("a", "1", Ended);
        await bucket.DeleteAsync("a", cancellationToken: Ended);
        await bucket.PutAsync("b", "1", Ended);
        await bucket.DeleteAsync("b", cancellationToken: Ended);
        await bucket.PutAsync("b", "2", Ended);
        await bucket.PutAsync("c", "1", Ended);

        Assert.Equal(1, await bucket.PurgeDeletesAsync(cancellationToken: Ended));
        Assert.True(Assert.Single(await bucket.HistoryAsync("a", Ended).ToListAsync(Ended)).IsDeleted);
        Assert.Equal(1, await bucket.PurgeDeletesAsync(TimeSpan.Zero, Ended));
        Assert.Empty(await bucket.HistoryAsync("a", Ended).ToListAsync(Ended));
        Assert.Equal(3, await bucket.HistoryAsync("b", Ended).CountAsync(Ended));
        Assert.Equal(["b", "c"], await bucket.KeysAsync(cancellationToken: Ended).ToListAsync(Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_slow_reader_gets_everything_within_the_servers_window(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        byte[] value = new byte[64 * 1024];
        // More than the window of a server, 32 MiB.
        await Wait.For(Task.WhenAll(Enumerable.Range(0, 700).Select(i => bucket.PutAsync($"k.{i:000}", value, Ended))));

        int count = 0;
        await foreach (BucketUpdate update in bucket.WatchAsync(cancellationToken: Ended))
        {
            if (update.Entry is not { } entry)
            {
                break;
            }

            Assert.Equal(value.Length, entry.Value.Length);
            if (count++ == 0)
            {
                // The server sends meanwhile what it may send without an answer.
                await site.Connection.PingAsync(Ended);
                await site.Connection.PingAsync(Ended);
            }
        }

        Assert.Equal(700, count);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_without_its_consumer_notices_the_missing_heartbeats_and_goes_on(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        await bucket.PutAsync("a", "1", Ended);
        var options = new BucketWatchOptions { IdleHeartbeat = TimeSpan.FromMilliseconds(200) };
        await using var watch = new Watcher(bucket.WatchAsync(options: options, cancellationToken: Ended));
        Assert.Equal(["a=1", Complete], await watch.TakeAsync(2));

        string consumer = await site.Streams.ListConsumerNamesAsync("KV_" + site.Name, Ended).SingleAsync(Ended);
        Assert.True(await site.Streams.DeleteConsumerAsync("KV_" + site.Name, consumer, Ended));
        await bucket.PutAsync("b", "2", Ended);

        Assert.Equal(["b=2"], await watch.TakeAsync(1));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_of_a_deleted_bucket_ends_with_an_error(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        var options = new BucketWatchOptions { IdleHeartbeat = TimeSpan.FromMilliseconds(200) };
        await using var watch = new Watcher(bucket.WatchAsync(options: options, cancellationToken: Ended));
        Assert.Equal([Complete], await watch.TakeAsync(1));

        await site.Streams.DeleteBucketAsync(site.Name, Ended);

        await Assert.ThrowsAsync<NoBucketException>(() => watch.TakeAsync(1));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_ends_with_its_token_and_leaves_nothing_behind(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        using var cancellation = new CancellationTokenSource();
        await using (var watch = new Watcher(bucket.WatchAsync(cancellationToken: cancellation.Token)))
        {
            Assert.Equal([Complete], await watch.TakeAsync(1));
            Task<string[]> next = watch.TakeAsync(1);
            await cancellation.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next);
        }

        await Wait.UntilAsync(async () => await site.Streams.ListConsumerNamesAsync("KV_" + site.Name, Ended).CountAsync(Ended) == 0);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_ends_without_an_error_if_the_connection_is_closed(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        Task<List<BucketUpdate>> all = bucket.WatchAsync(cancellationToken: Ended).ToListAsync(Ended).AsTask();
        await Wait.UntilAsync(async () => await site.Streams.ListConsumerNamesAsync("KV_" + site.Name, Ended).CountAsync(Ended) == 1);

        await site.Connection.DrainAsync(Ended);

        Assert.Equal([default], await Wait.For(all));
    }

    [Theory]
    [InlineData("a.>.b")]
    [InlineData("a*")]
    [InlineData("")]
    [InlineData("a b")]
    public async Task A_filter_that_is_not_valid_is_refused_before_it_is_sent(string filter)
    {
        await using StreamSite site = await servers.ConnectAsync(StreamServer.Installed);
        Bucket bucket = await CreateAsync(site);

        Assert.Throws<ArgumentException>(() => bucket.WatchAsync(filter, cancellationToken: Ended));
        Assert.Throws<ArgumentException>(() => bucket.KeysAsync(filter, Ended));
        Assert.Throws<ArgumentException>(() => bucket.HistoryAsync(filter, Ended));
        Assert.Throws<ArgumentException>(
            () => bucket.WatchAsync(options: new BucketWatchOptions { IncludeHistory = true, UpdatesOnly = true }, cancellationToken: Ended));
        Assert.Throws<ArgumentOutOfRangeException>(() => bucket.WatchAsync(options: new BucketWatchOptions { FromRevision = 0 }, cancellationToken: Ended));
        Assert.Throws<ArgumentOutOfRangeException>(() => bucket.WatchAsync(options: new BucketWatchOptions { IdleHeartbeat = default }, cancellationToken: Ended));
    }

    private static Task<Bucket> CreateAsync(StreamSite site, int history = 1)
        => site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { History = history, Storage = StorageType.Memory }, Ended);
}
