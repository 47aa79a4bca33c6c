using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Objects;

public sealed class ObjectWatchTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_returns_the_objects_then_the_signal_then_changes(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        await PutAsync(store, "a");
        await PutAsync(store, "b");
        await PutAsync(store, "a");
        await store.DeleteAsync("b", Ended);
        await using IAsyncEnumerator<ObjectUpdate> all = store.WatchAsync(cancellationToken: Ended).GetAsyncEnumerator(Ended);
        await using IAsyncEnumerator<ObjectUpdate> kept = store.WatchAsync(new ObjectWatchOptions { IgnoreDeletes = true }, Ended).GetAsyncEnumerator(Ended);
        await using IAsyncEnumerator<ObjectUpdate> updates = store.WatchAsync(new ObjectWatchOptions { UpdatesOnly = true }, Ended).GetAsyncEnumerator(Ended);

        Assert.Equal(["a", "b deleted", "complete"], await TakeAsync(all, 3));
        Assert.Equal(["a", "complete"], await TakeAsync(kept, 2));
        Assert.Equal(["complete"], await TakeAsync(updates, 1));
        await PutAsync(store, "c");
        await store.DeleteAsync("a", Ended);
        await PutAsync(store, "d");

        Assert.Equal(["c", "a deleted", "d"], await TakeAsync(all, 3));
        Assert.Equal(["c", "d"], await TakeAsync(kept, 2));
        Assert.Equal(["c", "a deleted", "d"], await TakeAsync(updates, 3));
        Assert.Equal(["c", "d"], await store.ListAsync(Ended).Select(static info => info.Name).ToListAsync(Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_of_an_empty_store_gets_the_signal_too(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        await using IAsyncEnumerator<ObjectUpdate> watch = store.WatchAsync(cancellationToken: Ended).GetAsyncEnumerator(Ended);

        Assert.Equal(["complete"], await TakeAsync(watch, 1));
        Assert.Empty(await store.ListAsync(Ended).ToListAsync(Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_goes_on_at_the_reconnect_after_the_server_was_killed(string name)
    {
        await using var server = StreamServer.Start(name);
        int reconnects = 0;
        await using BrokerConnection connection = await server.ConnectAsync(options => options with { OnReconnected = _ => Interlocked.Increment(ref reconnects) });
        using StreamsClient streams = connection.Streams(
            new StreamsOptions { RequestTimeout = Wait.Limit, NoStreamRetries = 1000, AcknowledgementTimeout = Wait.Limit });
        ObjectStore store = await streams.CreateObjectStoreAsync("s", Ended);
        await PutAsync(store, "a");
        // No heartbeat is missed within the time of a test.
        await using IAsyncEnumerator<ObjectUpdate> watch = store.WatchAsync(
            new ObjectWatchOptions { IdleHeartbeat = TimeSpan.FromMinutes(10) }, Ended).GetAsyncEnumerator(Ended);
        Assert.Equal(["a", "complete"], await TakeAsync(watch, 2));

        Task<string[]> next = TakeAsync(watch, 1);
        server.Restart();
        await Wait.UntilAsync(() => Volatile.Read(ref reconnects) > 0);
        await PutAsync(store, "b");

        Assert.Equal(["b"], await next);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_description_that_is_not_valid_is_named(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        await site.Streams.PublishAsync($"$O.{site.Name}.M.YQ==", "no description"u8.ToArray(), cancellationToken: Ended);

        ObjectStoreException list = await Assert.ThrowsAsync<ObjectStoreException>(() => store.ListAsync(Ended).ToListAsync(Ended).AsTask());
        ObjectStoreException get = await Assert.ThrowsAsync<ObjectStoreException>(() => store.GetInfoAsync("a", Ended));

        Assert.Contains("message 1 of the store", list.Message, StringComparison.Ordinal);
        Assert.Equal(list.Message, get.Message);
    }

    private static async Task<string[]> TakeAsync(IAsyncEnumerator<ObjectUpdate> watch, int count)
    {
        string[] taken = new string[count];
        for (int i = 0; i < count; i++)
        {
            Assert.True(await Wait.For(watch.MoveNextAsync().AsTask()), "the watch has ended");
            taken[i] = watch.Current.Info is not { } info ? "complete" : info.IsDeleted ? $"{info.Name} deleted" : info.Name;
        }

        return taken;
    }

    private static Task<ObjectInfo> PutAsync(ObjectStore store, string name) => store.PutAsync(name, "content"u8.ToArray(), cancellationToken: Ended);

    private static Task<ObjectStore> CreateAsync(StreamSite site)
        => site.Streams.CreateObjectStoreAsync(new ObjectStoreOptions(site.Name) { Storage = StorageType.Memory }, Ended);
}
