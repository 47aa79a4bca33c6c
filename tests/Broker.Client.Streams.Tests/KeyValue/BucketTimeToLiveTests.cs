using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.KeyValue;

public sealed class BucketTimeToLiveTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.WithTimesToLive), MemberType = typeof(EachServer))]
    public async Task A_key_with_a_time_to_live_vanishes_and_a_watch_is_told(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await site.Streams.CreateBucketAsync(
            new BucketOptions(site.Name) { DeleteMarkerTimeToLive = TimeSpan.FromMinutes(1), Storage = StorageType.Memory }, Ended);
        Assert.True((await bucket.GetStatusAsync(Ended)).AllowsKeyTimeToLive);

        ulong created = await bucket.CreateAsync("a", "1", TimeSpan.FromSeconds(1), Ended);
        BucketEntry marker = (await bucket.WatchAsync(cancellationToken: Ended)
            .FirstAsync(static update => update.Entry is { IsDeleted: true }, Ended)).Entry!;

        Assert.True(marker.Revision > created);
        Assert.Equal(("a", BucketOperation.Purge), (marker.Key, marker.Operation));
        Assert.Null(await bucket.FindAsync("a", Ended));
        Assert.Equal("2", (await bucket.GetAsync("a", await bucket.CreateAsync("a", "2", cancellationToken: Ended), Ended)).Text);
    }

    [Theory]
    [MemberData(nameof(EachServer.WithTimesToLive), MemberType = typeof(EachServer))]
    public async Task The_marker_of_a_purge_vanishes_after_its_time_to_live(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await site.Streams.CreateBucketAsync(
            new BucketOptions(site.Name) { AllowKeyTimeToLive = true, Storage = StorageType.Memory }, Ended);
        await bucket.PutAsync("a", "1", Ended);

        await bucket.PurgeAsync("a", timeToLive: TimeSpan.FromSeconds(1), cancellationToken: Ended);

        await Wait.UntilAsync(async () => (await bucket.GetStatusAsync(Ended)).Revisions == 0);
    }

    [Fact]
    public async Task An_older_server_refuses_a_bucket_with_keys_that_have_a_time_to_live()
    {
        foreach (string server in (string[])[StreamServer.Installed, NewerNatsServers.Trixie])
        {
            await using StreamSite site = await servers.ConnectAsync(server);

            BucketException error = await Assert.ThrowsAsync<BucketException>(
                () => site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { AllowKeyTimeToLive = true }, Ended));

            Assert.Contains("needs nats-server 2.11", error.Message, StringComparison.Ordinal);
            Assert.Null(await site.Streams.FindBucketAsync(site.Name, Ended));
        }
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_time_to_live_is_refused_by_a_bucket_that_does_not_permit_it(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        Bucket bucket = await site.Streams.CreateBucketAsync(new BucketOptions(site.Name) { Storage = StorageType.Memory }, Ended);

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => bucket.CreateAsync("a", "1", TimeSpan.FromSeconds(1), Ended));
        await Assert.ThrowsAsync<InvalidOperationException>(() => bucket.PurgeAsync("a", timeToLive: TimeSpan.FromSeconds(1), cancellationToken: Ended));

        Assert.Contains("BucketOptions.AllowKeyTimeToLive", error.Message, StringComparison.Ordinal);
    }
}
