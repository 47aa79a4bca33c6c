using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.KeyValue;

/// <summary>Reads and writes of single keys.</summary>
public sealed class BucketValueTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_value_is_read_as_it_was_written(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);

        ulong first = await bucket.PutAsync("users/1.name=x_y-z", "Ada", Ended);
        ulong second = await bucket.PutAsync("bytes", new byte[] { 0, 1, 255 }, Ended);
        ulong third = await bucket.PutAsync("empty", ReadOnlyMemory<byte>.Empty, Ended);

        BucketEntry entry = await bucket.GetAsync("users/1.name=x_y-z", Ended);
        Assert.Equal((1ul, 2ul, 3ul), (first, second, third));
        Assert.Equal((site.Name, "users/1.name=x_y-z", "Ada", 1ul), (entry.Bucket, entry.Key, entry.Text, entry.Revision));
        Assert.Equal((BucketOperation.Put, false), (entry.Operation, entry.IsDeleted));
        Assert.Equal(DateTime.UtcNow, entry.Created.UtcDateTime, TimeSpan.FromHours(1));
        Assert.Equal([0, 1, 255], (await bucket.GetAsync("bytes", Ended)).Value.ToArray());
        Assert.True((await bucket.GetAsync("empty", Ended)).Value.IsEmpty);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_missing_key_is_null_or_an_error_that_names_it(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        await bucket.PutAsync("deleted", "1", Ended);
        await bucket.DeleteAsync("deleted", cancellationToken: Ended);
        await bucket.PutAsync("purged", "1", Ended);
        await bucket.PurgeAsync("purged", cancellationToken: Ended);

        foreach (string key in (string[])["never", "deleted", "purged"])
        {
            Assert.Null(await bucket.FindAsync(key, Ended));
            NoKeyException error = await Assert.ThrowsAsync<NoKeyException>(() => bucket.GetAsync(key, Ended));
            Assert.Equal((site.Name, key), (error.Bucket, error.Key));
            Assert.Contains($"'{site.Name}' has no value of the key '{key}'", error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_revision_is_read_while_the_history_has_it(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site, history: 2);
        ulong first = await bucket.PutAsync("a", "1", Ended);
        ulong second = await bucket.PutAsync("a", "2", Ended);
        ulong third = await bucket.PutAsync("a", "3", Ended);
        ulong other = await bucket.PutAsync("b", "4", Ended);

        Assert.Null(await bucket.FindAsync("a", first, Ended));
        Assert.Equal("2", (await bucket.GetAsync("a", second, Ended)).Text);
        Assert.Equal("3", (await bucket.GetAsync("a", third, Ended)).Text);
        Assert.Null(await bucket.FindAsync("a", other, Ended));
        NoKeyException error = await Assert.ThrowsAsync<NoKeyException>(() => bucket.GetAsync("a", 1000, Ended));
        Assert.Contains("with the revision 1000", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_key_is_created_once_and_again_after_it_was_deleted(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site, history: 5);
        await bucket.PutAsync("other", "0", Ended);

        ulong created = await bucket.CreateAsync("a", "1", cancellationToken: Ended);
        WrongRevisionException error = await Assert.ThrowsAsync<WrongRevisionException>(() => bucket.CreateAsync("a", "2", cancellationToken: Ended));
        Assert.Null(await bucket.CreateIfAbsentAsync("a", "2", cancellationToken: Ended));
        ulong marker = await bucket.DeleteAsync("a", cancellationToken: Ended);
        ulong? again = await bucket.CreateIfAbsentAsync("a", "3", cancellationToken: Ended);
        ulong purge = await bucket.PurgeAsync("a", cancellationToken: Ended);
        ulong last = await bucket.CreateAsync("a", "4", cancellationToken: Ended);

        Assert.Equal((2ul, 3ul, 4ul, 5ul, 6ul), (created, marker, again, purge, last));
        Assert.Equal((site.Name, "a", 0ul, 2ul), (error.Bucket, error.Key, error.ExpectedRevision, error.ActualRevision));
        Assert.Contains($"The key 'a' of the bucket '{site.Name}' exists already: the last revision is 2", error.Message, StringComparison.Ordinal);
        Assert.Equal("4", (await bucket.GetAsync("a", Ended)).Text);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task An_update_needs_the_last_revision(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        ulong first = await bucket.PutAsync("a", "1", Ended);
        await bucket.PutAsync("b", "x", Ended);

        ulong second = await bucket.UpdateAsync("a", "2", first, Ended);
        WrongRevisionException error = await Assert.ThrowsAsync<WrongRevisionException>(() => bucket.UpdateAsync("a", "3", first, Ended));
        Assert.Null(await bucket.UpdateIfUnchangedAsync("a", "3", first, Ended));
        ulong? third = await bucket.UpdateIfUnchangedAsync("a", "4", second, Ended);

        Assert.Equal((1ul, 3ul, 4ul), (first, second, third));
        Assert.Equal(("a", 1ul, 3ul), (error.Key, error.ExpectedRevision, error.ActualRevision));
        Assert.Contains("the revision 1 was expected, but the last revision is 3", error.Message, StringComparison.Ordinal);
        Assert.Equal("4", (await bucket.GetAsync("a", Ended)).Text);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Delete_and_purge_take_an_expected_revision(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site, history: 5);
        ulong first = await bucket.PutAsync("a", "1", Ended);
        ulong second = await bucket.PutAsync("a", "2", Ended);

        await Assert.ThrowsAsync<WrongRevisionException>(() => bucket.DeleteAsync("a", first, Ended));
        ulong marker = await bucket.DeleteAsync("a", second, Ended);
        await Assert.ThrowsAsync<WrongRevisionException>(() => bucket.PurgeAsync("a", second, cancellationToken: Ended));
        Assert.Equal(3ul, (await bucket.GetStatusAsync(Ended)).Revisions);
        await bucket.PurgeAsync("a", marker, cancellationToken: Ended);

        Assert.Equal(1ul, (await bucket.GetStatusAsync(Ended)).Revisions);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Of_many_programs_that_create_a_key_one_succeeds(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        await bucket.PutAsync("lock", "old", Ended);
        await bucket.DeleteAsync("lock", cancellationToken: Ended);

        ulong?[] revisions = await Wait.For(Task.WhenAll(Enumerable.Range(0, 20).Select(i => bucket.CreateIfAbsentAsync("lock", $"{i}", cancellationToken: Ended))));

        ulong won = Assert.Single(revisions.OfType<ulong>());
        Assert.Equal(won, (await bucket.GetAsync("lock", Ended)).Revision);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_value_that_is_too_large_is_refused_with_the_servers_code(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { MaxValueSize = 10, Storage = StorageType.Memory }, Ended);

        StreamException error = await Assert.ThrowsAsync<StreamException>(() => bucket.PutAsync("a", new byte[100], Ended));

        Assert.Equal(StreamErrorCode.MessageTooLarge, error.Code);
        Assert.Null(await bucket.FindAsync("a", Ended));
    }

    [Theory]
    [InlineData("")]
    [InlineData(".a")]
    [InlineData("a.")]
    [InlineData("a..b")]
    [InlineData("a b")]
    [InlineData("a.*")]
    [InlineData(">")]
    [InlineData("ä")]
    [InlineData("a\r\nPUB b 0")]
    public async Task A_key_that_is_not_valid_is_refused_before_it_is_sent(string key)
    {
        await using StreamSite site = await servers.ConnectAsync(StreamServer.Installed);
        Bucket bucket = await CreateAsync(site);

        ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(() => bucket.PutAsync(key, "1", Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => bucket.CreateAsync(key, "1", cancellationToken: Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => bucket.UpdateAsync(key, "1", 1, Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => bucket.FindAsync(key, Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => bucket.DeleteAsync(key, cancellationToken: Ended));
        await Assert.ThrowsAsync<ArgumentException>(() => bucket.PurgeAsync(key, cancellationToken: Ended));

        Assert.Contains("is not a valid key", error.Message, StringComparison.Ordinal);
        Assert.Equal(0ul, (await bucket.GetStatusAsync(Ended)).Revisions);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_read_does_without_direct_reads_if_the_bucket_does_not_permit_them(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        // nats-server 2.9 does not answer a direct read that is not permitted, and the client waits this long for it.
        using StreamsClient streams = site.Connection.Streams(new StreamsOptions { RequestTimeout = TimeSpan.FromSeconds(5) });
        await CreateAsync(site);
        Bucket bucket = await streams.GetBucketAsync(site.Name, Ended);
        await bucket.PutAsync("a", "1", Ended);
        StreamInfo stream = await site.Streams.GetStreamAsync("KV_" + site.Name, cancellationToken: Ended);
        await site.Streams.UpdateStreamAsync(stream.Config with { AllowDirect = false }, Ended);
        Bucket opened = await site.Streams.GetBucketAsync(site.Name, Ended);

        Assert.Equal("1", (await opened.GetAsync("a", Ended)).Text);
        Assert.Equal("1", (await bucket.GetAsync("a", 1, Ended)).Text);
        Assert.Null(await bucket.FindAsync("b", Ended));
    }

    private static Task<Bucket> CreateAsync(StreamSite site, int history = 1)
        => site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { History = history, Storage = StorageType.Memory }, Ended);
}
