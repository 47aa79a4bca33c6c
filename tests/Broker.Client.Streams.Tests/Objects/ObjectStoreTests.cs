using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Objects;

/// <summary>Object stores and their objects: put, get, describe, rename, link, delete, seal.</summary>
public sealed class ObjectStoreTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_store_is_created_found_listed_and_deleted(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        StreamsClient streams = site.Streams;
        Assert.Null(await streams.FindObjectStoreAsync(site.Name, Ended));
        var options = new ObjectStoreOptions(site.Name) { Description = "files", Storage = StorageType.Memory, MaxBytes = 1_000_000, TimeToLive = TimeSpan.FromHours(1) };
        await streams.CreateObjectStoreAsync(options, Ended);
        await streams.CreateObjectStoreAsync(options, Ended);

        ObjectStoreException other = await Assert.ThrowsAsync<ObjectStoreException>(
            () => streams.CreateObjectStoreAsync(options with { Description = "others" }, Ended));
        ObjectStore store = await streams.CreateOrUpdateObjectStoreAsync(options with { Description = "others" }, Ended);
        ObjectStoreStatus status = await store.GetStatusAsync(Ended);

        Assert.Equal(site.Name, other.Store);
        Assert.Equal((site.Name, "others", 1_000_000L, TimeSpan.FromHours(1)), (status.Name, status.Description, status.MaxBytes, status.TimeToLive));
        Assert.Equal((StorageType.Memory, 1, false), (status.Storage, status.Replicas, status.IsSealed));
        Assert.Contains(site.Name, await streams.ListObjectStoreNamesAsync(Ended).ToListAsync(Ended));
        Assert.Contains(site.Name, await streams.ListObjectStoresAsync(Ended).Select(static s => s.Name).ToListAsync(Ended));
        Assert.True(await streams.DeleteObjectStoreAsync(site.Name, Ended));
        Assert.False(await streams.DeleteObjectStoreAsync(site.Name, Ended));
        await Assert.ThrowsAsync<NoObjectStoreException>(() => streams.GetObjectStoreAsync(site.Name, Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_use_of_a_deleted_store_fails_with_its_name(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        // nats-server 2.9 does not answer a direct read of a stream that is gone, and the client waits this long for
        // it.
        using StreamsClient streams = site.Connection.Streams(new StreamsOptions { NoStreamRetries = 0, RequestTimeout = TimeSpan.FromSeconds(5) });
        ObjectStore store = await streams.CreateObjectStoreAsync(site.Name, Ended);
        await store.PutAsync("a", "1"u8.ToArray(), cancellationToken: Ended);
        ObjectStream opened = await store.OpenAsync("a", Ended);
        await streams.DeleteObjectStoreAsync(site.Name, Ended);

        Assert.Equal(site.Name, (await Assert.ThrowsAsync<NoObjectStoreException>(() => store.PutAsync("a", "1"u8.ToArray(), cancellationToken: Ended))).Store);
        await Assert.ThrowsAsync<NoObjectStoreException>(() => store.FindInfoAsync("a", Ended));
        await Assert.ThrowsAsync<NoObjectStoreException>(() => store.GetStatusAsync(Ended));
        await Assert.ThrowsAsync<NoObjectStoreException>(() => store.SealAsync(Ended));
        await Assert.ThrowsAsync<NoObjectStoreException>(() => store.ListAsync(Ended).ToListAsync(Ended).AsTask());
        await Assert.ThrowsAsync<NoObjectStoreException>(() => opened.ReadAsync(new byte[1], Ended).AsTask());
        await opened.DisposeAsync();
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Contents_of_all_sizes_come_back_as_they_were(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        foreach (int size in (int[])[0, 1, 999, 1000, 1001, 50_000])
        {
            byte[] content = Content(size);
            ObjectInfo put = await store.PutAsync($"of {size}", content, new PutObjectOptions { ChunkSize = 1000 }, Ended);
            ObjectInfo got = await store.GetInfoAsync($"of {size}", Ended);

            Assert.Equal(((long)size, (size + 999L) / 1000), (put.Size, put.Chunks));
            Assert.Equal((put.Size, put.Chunks, put.Digest, put.Id, put.Name), (got.Size, got.Chunks, got.Digest, got.Id, got.Name));
            Assert.Equal(content, await store.GetBytesAsync($"of {size}", Ended));
        }
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_put_replaces_the_content_and_removes_the_earlier_one(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        ObjectInfo first = await store.PutAsync("a", Content(5000), new PutObjectOptions { ChunkSize = 1000, Description = "first" }, Ended);
        ObjectInfo second = await store.PutAsync("a", Content(10), cancellationToken: Ended);

        Assert.NotEqual(first.Id, second.Id);
        Assert.Equal(Content(10), await store.GetBytesAsync("a", Ended));
        Assert.Null((await store.GetInfoAsync("a", Ended)).Description);
        // One chunk and one description.
        Assert.Equal(2ul, (await store.GetStatusAsync(Ended)).Stream.State.Messages);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Puts_of_one_name_at_once_leave_one_whole_object(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);

        ObjectInfo[] puts = await Wait.For(Task.WhenAll(Enumerable.Range(1, 8).Select(i => store.PutAsync("a", Content(i * 1000), new PutObjectOptions { ChunkSize = 100 }, Ended))));

        ObjectInfo last = await store.GetInfoAsync("a", Ended);
        Assert.Contains(last.Id, puts.Select(static put => put.Id));
        Assert.Equal(Content((int)last.Size), await store.GetBytesAsync("a", Ended));
        Assert.Equal((ulong)last.Chunks + 1, (await store.GetStatusAsync(Ended)).Stream.State.Messages);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_description_has_what_was_put_and_can_be_changed(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        var options = new PutObjectOptions
        {
            Description = "a text",
            Headers = new Dictionary<string, IReadOnlyList<string>> { ["Kind"] = ["x", "y"] },
            Metadata = new Dictionary<string, string> { ["owner"] = "tests" },
        };
        await store.PutAsync("Ångström / α", "1"u8.ToArray(), options, Ended);

        ObjectInfo info = await store.GetInfoAsync("Ångström / α", Ended);
        Assert.Equal(("Ångström / α", "a text", "tests"), (info.Name, info.Description, info.Metadata!["owner"]));
        Assert.Equal(["x", "y"], info.Headers!["Kind"]);
        Assert.InRange(info.Modified, DateTimeOffset.UtcNow.AddHours(-1), DateTimeOffset.UtcNow.AddHours(1));

        await store.UpdateInfoAsync("Ångström / α", new ObjectDetails(info) { Description = "another text" }, Ended);
        await store.UpdateInfoAsync("Ångström / α", new ObjectDetails(info) { Name = "b" }, Ended);
        Assert.Null(await store.FindInfoAsync("Ångström / α", Ended));
        Assert.Equal("a text", (await store.GetInfoAsync("b", Ended)).Description);
        Assert.Equal("1"u8.ToArray(), await store.GetBytesAsync("b", Ended));

        await store.PutAsync("c", "2"u8.ToArray(), cancellationToken: Ended);
        ObjectStoreException exists = await Assert.ThrowsAsync<ObjectStoreException>(() => store.UpdateInfoAsync("b", new ObjectDetails("c"), Ended));
        Assert.Contains("exists already", exists.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<NoObjectException>(() => store.UpdateInfoAsync("d", new ObjectDetails("d"), Ended));
        await Assert.ThrowsAsync<NoObjectException>(() => store.UpdateInfoAsync("d", new ObjectDetails("e"), Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_deleted_object_is_gone_with_its_content(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        await store.PutAsync("a", Content(5000), new PutObjectOptions { ChunkSize = 1000 }, Ended);

        Assert.True(await store.DeleteAsync("a", Ended));
        Assert.False(await store.DeleteAsync("a", Ended));
        Assert.False(await store.DeleteAsync("b", Ended));

        Assert.Null(await store.FindInfoAsync("a", Ended));
        NoObjectException error = await Assert.ThrowsAsync<NoObjectException>(() => store.GetBytesAsync("a", Ended));
        Assert.Equal((site.Name, "a"), (error.Store, error.Name));
        Assert.Equal(1ul, (await store.GetStatusAsync(Ended)).Stream.State.Messages);
        await store.PutAsync("a", Content(1), cancellationToken: Ended);
        Assert.Equal(Content(1), await store.GetBytesAsync("a", Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Links_are_followed_within_a_store_and_to_another(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        ObjectStore other = await site.Streams.CreateObjectStoreAsync(new ObjectStoreOptions(site.Name + "_2") { Storage = StorageType.Memory }, Ended);
        ObjectInfo target = await store.PutAsync("target", Content(10), cancellationToken: Ended);

        ObjectInfo link = await store.AddLinkAsync("link", target, Ended);
        await other.AddLinkAsync("far", target, Ended);
        await other.AddLinkAsync("store", store, Ended);

        Assert.Equal(new ObjectLink(site.Name, "target"), (await store.GetInfoAsync("link", Ended)).Link);
        Assert.Equal(Content(10), await store.GetBytesAsync("link", Ended));
        Assert.Equal(Content(10), await other.GetBytesAsync("far", Ended));
        Assert.Equal(new ObjectLink(site.Name, null), (await other.GetInfoAsync("store", Ended)).Link);
        ObjectStoreException whole = await Assert.ThrowsAsync<ObjectStoreException>(() => other.GetBytesAsync("store", Ended));
        Assert.Contains($"link to the store '{site.Name}'", whole.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(() => store.AddLinkAsync("chain", link, Ended));
        await Assert.ThrowsAsync<ObjectStoreException>(() => store.AddLinkAsync("target", store, Ended));
        // A link may be replaced, and deleted without its target.
        await store.AddLinkAsync("link", store, Ended);
        Assert.True(await store.DeleteAsync("link", Ended));
        Assert.Equal(Content(10), await store.GetBytesAsync("target", Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_sealed_store_is_read_only(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        await store.PutAsync("a", Content(10), cancellationToken: Ended);

        await store.SealAsync(Ended);

        Assert.True((await store.GetStatusAsync(Ended)).IsSealed);
        Assert.Equal(Content(10), await store.GetBytesAsync("a", Ended));
        await Assert.ThrowsAsync<StreamException>(() => store.PutAsync("b", Content(10), cancellationToken: Ended));
        await Assert.ThrowsAsync<StreamException>(() => store.DeleteAsync("a", Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.OfOthers), MemberType = typeof(EachServer))]
    public async Task Through_a_leaf_node_a_store_of_the_hub_is_written_and_read(string name)
    {
        int port = FreePort.Next();
        await using var hub = StreamServer.Start(name, $"leafnodes {{ listen: \"127.0.0.1:{port}\" }}", "domain: hub");
        await using var leaf = StreamServer.Start(name, $"leafnodes {{ remotes: [ {{ url: \"nats-leaf://127.0.0.1:{port}\" }} ] }}", "domain: leaf");
        await using BrokerConnection connection = await leaf.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { Domain = "hub" });
        await Wait.UntilAsync(async () => await IsReadyAsync(streams));
        ObjectStore store = await streams.CreateObjectStoreAsync("s", Ended);

        await store.PutAsync("a", Content(5000), new PutObjectOptions { ChunkSize = 1000 }, Ended);

        Assert.Equal(Content(5000), await store.GetBytesAsync("a", Ended));
        Assert.Equal(["a"], await store.ListAsync(Ended).Select(static info => info.Name).ToListAsync(Ended));
        Assert.True(await store.DeleteAsync("a", Ended));
    }

    [Fact]
    public async Task Names_and_options_that_are_not_valid_are_refused_before_anything_is_sent()
    {
        await using StreamSite site = await servers.ConnectAsync(StreamServer.Installed);
        ObjectStore store = await CreateAsync(site);

        await Assert.ThrowsAsync<ArgumentException>(() => site.Streams.CreateObjectStoreAsync("a.b", Ended));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => site.Streams.CreateObjectStoreAsync(new ObjectStoreOptions("a") { Replicas = 6 }, Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => store.PutAsync("", Content(1), cancellationToken: Ended));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => store.PutAsync("a", Content(1), new PutObjectOptions { ChunkSize = 0 }, Ended));
        Assert.Throws<ArgumentOutOfRangeException>(() => store.WatchAsync(new ObjectWatchOptions { IdleHeartbeat = TimeSpan.Zero }, Ended));
    }

    internal static byte[] Content(int size)
    {
        byte[] content = new byte[size];
        new Random(size).NextBytes(content);
        return content;
    }

    private static async Task<bool> IsReadyAsync(StreamsClient streams)
    {
        try
        {
            await streams.GetAccountAsync(Ended);
            return true;
        }
        catch (StreamsUnavailableException)
        {
            return false;
        }
    }

    private static Task<ObjectStore> CreateAsync(StreamSite site)
        => site.Streams.CreateObjectStoreAsync(new ObjectStoreOptions(site.Name) { Storage = StorageType.Memory }, Ended);
}
