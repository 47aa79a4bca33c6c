using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.KeyValue;

/// <summary>Buckets as a whole: their options, their status, their end.</summary>
public sealed class BucketTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_bucket_is_created_found_listed_and_deleted(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Assert.Null(await site.Streams.FindBucketAsync(site.Name, Ended));

        Bucket created = await site.Streams.CreateBucketAsync(site.Name, Ended);
        Bucket found = await site.Streams.GetBucketAsync(site.Name, Ended);

        Assert.Equal(site.Name, created.Name);
        Assert.Equal(site.Name, found.Name);
        Assert.Contains(site.Name, await site.Streams.ListBucketNamesAsync(Ended).ToListAsync(Ended));
        Assert.Contains(site.Name, await site.Streams.ListBucketsAsync(Ended).Select(static status => status.Name).ToListAsync(Ended));
        Assert.True(await site.Streams.DeleteBucketAsync(site.Name, Ended));
        Assert.False(await site.Streams.DeleteBucketAsync(site.Name, Ended));
        NoBucketException error = await Assert.ThrowsAsync<NoBucketException>(() => site.Streams.GetBucketAsync(site.Name, Ended));
        Assert.Equal((site.Name, StreamErrorCode.StreamNotFound), (error.Bucket, error.Code));
        Assert.Contains($"There is no bucket '{site.Name}'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_status_shows_the_options_and_the_contents(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await site.Streams.CreateBucketAsync(
            new BucketOptions(site.Name)
            {
                Description = "profiles",
                History = 5,
                TimeToLive = TimeSpan.FromHours(1),
                MaxValueSize = 1000,
                MaxBytes = 100_000,
                Storage = StorageType.Memory,
            },
            Ended);
        await bucket.PutAsync("a", "1", Ended);
        await bucket.PutAsync("a", "2", Ended);
        await bucket.DeleteAsync("b", cancellationToken: Ended);

        BucketStatus status = await bucket.GetStatusAsync(Ended);

        Assert.Equal((site.Name, "profiles", 5L), (status.Name, status.Description, status.History));
        Assert.Equal((TimeSpan.FromHours(1), 1000, 100_000L), (status.TimeToLive, status.MaxValueSize, status.MaxBytes));
        Assert.Equal((StorageType.Memory, 1, StreamCompression.None), (status.Storage, status.Replicas, status.Compression));
        Assert.Equal((3ul, 2L, 3ul), (status.Revisions, status.Keys, status.LastRevision));
        Assert.True(status.Bytes > 0);
        Assert.False(status.AllowsKeyTimeToLive || status.IsMirror);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Other_options_need_an_update(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { Storage = StorageType.Memory }, Ended);
        await site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { Storage = StorageType.Memory }, Ended);
        var other = new BucketOptions(site.Name) { Storage = StorageType.Memory, History = 3 };

        BucketException error = await Assert.ThrowsAsync<BucketException>(() => site.Streams.CreateBucketAsync(other, Ended));
        Bucket updated = await site.Streams.CreateOrUpdateBucketAsync(other, Ended);

        Assert.Equal(StreamErrorCode.StreamNameInUse, error.Code);
        Assert.Contains("exists with other options", error.Message, StringComparison.Ordinal);
        Assert.Equal(3, (await updated.GetStatusAsync(Ended)).History);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_use_of_a_deleted_bucket_fails_with_its_name(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        // nats-server 2.9 does not answer a direct read of a stream that is gone, and the client waits this long for
        // it.
        using StreamsClient streams = site.Connection.Streams(new StreamsOptions { NoStreamRetries = 0, RequestTimeout = TimeSpan.FromSeconds(5) });
        Bucket bucket = await streams.CreateBucketAsync(new BucketOptions(site.Name) { Storage = StorageType.Memory }, Ended);
        await site.Streams.DeleteBucketAsync(site.Name, Ended);

        await Assert.ThrowsAsync<NoBucketException>(() => bucket.PutAsync("a", "1", Ended));
        await Assert.ThrowsAsync<NoBucketException>(() => bucket.FindAsync("a", Ended));
        await Assert.ThrowsAsync<NoBucketException>(() => bucket.GetStatusAsync(Ended));
        await Assert.ThrowsAsync<NoBucketException>(() => bucket.KeysAsync(cancellationToken: Ended).ToListAsync(Ended).AsTask());
    }

    [Theory]
    [MemberData(nameof(EachServer.NewerOfOthers), MemberType = typeof(EachServer))]
    public async Task Compression_metadata_and_republish_reach_the_server(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await using QueuedSubscription again = site.Connection.SubscribeQueued($"{site.Name}.again.>");
        Bucket bucket = await site.Streams.CreateBucketAsync(
            new BucketOptions(site.Name)
            {
                Compression = StreamCompression.S2,
                Metadata = new Dictionary<string, string> { ["owner"] = "tests" },
                Republish = new Republish { Source = ">", Destination = $"{site.Name}.again.>" },
            },
            Ended);
        await bucket.PutAsync("a", "1", Ended);

        BucketStatus status = await bucket.GetStatusAsync(Ended);

        Assert.Equal(StreamCompression.S2, status.Compression);
        Assert.Equal("tests", status.Stream.Config.Metadata!["owner"]);
        Assert.Equal($"{site.Name}.again.$KV.{site.Name}.a", (await again.Reader.ReadAsync(Ended)).Subject);
    }

    [Theory]
    [MemberData(nameof(EachServer.OfOthers), MemberType = typeof(EachServer))]
    public async Task A_mirror_shows_the_values_of_its_original_and_writes_to_it(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket original = await site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { Storage = StorageType.Memory }, Ended);
        Bucket mirror = await site.Streams.CreateBucketAsync(
            new BucketOptions(site.Name + "-copy") { Storage = StorageType.Memory, Mirror = new StreamSource { Name = site.Name } }, Ended);

        await original.PutAsync("a", "1", Ended);
        await mirror.PutAsync("b", "2", Ended);

        // A mirror also answers reads of its original.
        await Wait.UntilAsync(async () => await original.FindAsync("b", Ended) is { Text: "2" });
        await Wait.UntilAsync(async () => await mirror.FindAsync("b", Ended) is { Text: "2" });
        Assert.Equal("1", (await mirror.GetAsync("a", Ended)).Text);
        Assert.Equal(["a", "b"], await mirror.KeysAsync(cancellationToken: Ended).ToListAsync(Ended));
        Assert.True((await mirror.GetStatusAsync(Ended)).IsMirror);
    }

    [Theory]
    [MemberData(nameof(EachServer.NewerOfOthers), MemberType = typeof(EachServer))]
    public async Task A_bucket_with_sources_has_their_values_and_its_own(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket source = await site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { Storage = StorageType.Memory }, Ended);
        Bucket all = await site.Streams.CreateBucketAsync(
            new BucketOptions(site.Name + "-all") { Storage = StorageType.Memory, Sources = [new StreamSource { Name = site.Name }] }, Ended);

        await source.PutAsync("a", "1", Ended);
        await all.PutAsync("b", "2", Ended);

        await Wait.UntilAsync(async () => await all.FindAsync("a", Ended) is { Text: "1" });
        Assert.Null(await source.FindAsync("b", Ended));
        Assert.Equal("2", (await all.GetAsync("b", Ended)).Text);
    }

    [Theory]
    [MemberData(nameof(EachServer.OfOthers), MemberType = typeof(EachServer))]
    public async Task Through_a_leaf_node_a_bucket_of_the_hub_is_written_and_not_that_of_the_leaf(string name)
    {
        int port = FreePort.Next();
        await using var hub = StreamServer.Start(name, $"leafnodes {{ listen: \"127.0.0.1:{port}\" }}", "domain: hub");
        await using var leaf = StreamServer.Start(name, $"leafnodes {{ remotes: [ {{ url: \"nats-leaf://127.0.0.1:{port}\" }} ] }}", "domain: leaf");
        await using BrokerConnection connection = await leaf.ConnectAsync();
        using StreamsClient here = connection.Streams();
        using StreamsClient there = connection.Streams(new StreamsOptions { Domain = "hub" });
        await Wait.UntilAsync(async () => await IsReadyAsync(there));
        Bucket ofLeaf = await here.CreateBucketAsync("b", Ended);
        Bucket ofHub = await there.CreateBucketAsync("b", Ended);

        await ofHub.PutAsync("a", "1", Ended);
        await ofHub.CreateAsync("deleted", "1", cancellationToken: Ended);
        await ofHub.DeleteAsync("deleted", cancellationToken: Ended);

        Assert.Equal("1", (await ofHub.GetAsync("a", Ended)).Text);
        Assert.Equal(["a"], await ofHub.KeysAsync(cancellationToken: Ended).ToListAsync(Ended));
        Assert.Null(await ofLeaf.FindAsync("a", Ended));
        Assert.Equal(0ul, (await ofLeaf.GetStatusAsync(Ended)).LastRevision);
    }

    [Fact]
    public async Task Options_that_are_not_valid_are_refused_before_they_are_sent()
    {
        await using StreamSite site = await servers.ConnectAsync(StreamServer.Installed);
        BucketOptions[] wrong =
        [
            new("a.b"), new(""), new("a b"), new("ä"), new("a") { History = 0 }, new("a") { History = 65 }, new("a") { MaxBytes = 0 },
            new("a") { MaxValueSize = -2 }, new("a") { Replicas = 6 }, new("a") { TimeToLive = TimeSpan.FromSeconds(-1) },
            new("a") { DeleteMarkerTimeToLive = TimeSpan.FromMilliseconds(1) },
            new("a") { Mirror = new StreamSource { Name = "b" }, Sources = [new StreamSource { Name = "c" }] },
        ];

        foreach (BucketOptions options in wrong)
        {
            await Assert.ThrowsAnyAsync<ArgumentException>(() => site.Streams.CreateBucketAsync(options, Ended));
        }
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
}
