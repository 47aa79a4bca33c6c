using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.KeyValue;

public sealed class EncodedBucketTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Values_of_types_are_written_and_read(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        var profiles = new EncodedBucket(bucket, new JsonEncoder(ProfileJson.Default));
        var ada = new Profile("Ada", 36);
        var bob = new Profile("Bob", 40);

        ulong created = await profiles.CreateAsync("a", ada, cancellationToken: Ended);
        Assert.Null(await profiles.CreateIfAbsentAsync("a", bob, cancellationToken: Ended));
        ulong updated = await profiles.UpdateAsync("a", bob, created, Ended);
        Assert.Null(await profiles.UpdateIfUnchangedAsync("a", ada, created, Ended));
        await profiles.PutAsync("b", ada, Ended);

        EncodedEntry<Profile> entry = await profiles.GetAsync<Profile>("a", Ended);
        Assert.Equal((bob, "a", updated), (entry.Value, entry.Key, entry.Revision));
        Assert.Equal(ada, (await profiles.GetAsync<Profile>("a", created, Ended)).Value);
        Assert.Null(await profiles.FindAsync<Profile>("never", Ended));
        Assert.Equal([ada, bob], await profiles.HistoryAsync<Profile>("a", Ended).Select(static revision => revision.Value).ToListAsync(Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_watch_goes_on_after_a_value_that_cannot_be_decoded(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await CreateAsync(site);
        var numbers = new EncodedBucket(bucket, TextEncoder.Instance);
        await numbers.PutAsync("a", 1, Ended);
        await bucket.PutAsync("b", "no number", Ended);
        await bucket.DeleteAsync("c", cancellationToken: Ended);
        await numbers.PutAsync("d", 4, Ended);

        List<EncodedEntry<int>?> entries = await numbers.WatchAsync<int>(cancellationToken: Ended).Select(static update => update.Entry).Take(5).ToListAsync(Ended);

        Assert.Equal(1, entries[0]!.Value);
        FormatException error = Assert.Throws<FormatException>(() => entries[1]!.Value);
        Assert.Contains($"{site.Name}/b revision 2", error.Message, StringComparison.Ordinal);
        Assert.True(entries[2]!.IsDeleted);
        Assert.Throws<InvalidOperationException>(() => entries[2]!.Value);
        Assert.Equal(4, entries[3]!.Value);
        Assert.Null(entries[4]);
    }

    private static Task<Bucket> CreateAsync(StreamSite site)
        => site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { History = 5, Storage = StorageType.Memory }, Ended);
}
