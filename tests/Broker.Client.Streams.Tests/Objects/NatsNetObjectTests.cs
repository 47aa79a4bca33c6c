using Broker.Client.Streams.Tests.Support;
using NATS.Client.Core;
using NATS.Client.JetStream;
using NATS.Client.ObjectStore;
using NATS.Client.ObjectStore.Models;

namespace Broker.Client.Streams.Tests.Objects;

/// <summary>Object stores that NATS.Net 3.3.2 and this client use together.</summary>
public sealed class NatsNetObjectTests(SharedServers servers)
{
    private const string Name = "Ångström / a~~?>";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task A_store_of_NATS_Net_is_read_listed_and_written(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await using NatsConnection connection = Connect(site);
        INatsObjStore theirs = await new NatsObjContext(new NatsJSContext(connection)).CreateObjectStoreAsync(new NatsObjConfig(site.Name), Ended);
        byte[] content = ObjectStoreTests.Content(300_000);
        var meta = new ObjectMetadata
        {
            Name = Name,
            Description = "a text",
            Metadata = new Dictionary<string, string> { ["owner"] = "them" },
            Headers = new Dictionary<string, string[]> { ["Kind"] = ["x", "y"] },
        };
        await theirs.PutAsync(meta, new MemoryStream(content), cancellationToken: Ended);
        await theirs.PutAsync("deleted", new byte[10], Ended);
        await theirs.DeleteAsync("deleted", Ended);
        await theirs.AddLinkAsync("link", Name, Ended);

        ObjectStore ours = await site.Streams.GetObjectStoreAsync(site.Name, Ended);

        ObjectInfo info = await ours.GetInfoAsync(Name, Ended);
        Assert.Equal((Name, "a text", 300_000L, 3L, "them"), (info.Name, info.Description, info.Size, info.Chunks, info.Metadata!["owner"]));
        Assert.Equal(["x", "y"], info.Headers!["Kind"]);
        Assert.Equal(content, await ours.GetBytesAsync(Name, Ended));
        Assert.Equal(content, await ours.GetBytesAsync("link", Ended));
        Assert.Null(await ours.FindInfoAsync("deleted", Ended));
        Assert.Equal([Name, "link"], await ours.ListAsync(Ended).Select(static o => o.Name).ToListAsync(Ended));
        // Each client replaces an object of the other, and the other reads it.
        await ours.PutAsync(Name, ObjectStoreTests.Content(10), cancellationToken: Ended);
        Assert.Equal(ObjectStoreTests.Content(10), await theirs.GetBytesAsync(Name, Ended));
        await ours.UpdateInfoAsync(Name, new ObjectDetails("renamed"), Ended);
        Assert.Equal(ObjectStoreTests.Content(10), await theirs.GetBytesAsync("renamed", Ended));
        Assert.True(await ours.DeleteAsync("renamed", Ended));
        await Assert.ThrowsAsync<NatsObjNotFoundException>(async () => await theirs.GetInfoAsync("renamed", cancellationToken: Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task A_store_of_this_client_is_read_listed_and_written_by_NATS_Net(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore ours = await site.Streams.CreateObjectStoreAsync(site.Name, Ended);
        byte[] content = ObjectStoreTests.Content(300_000);
        var options = new PutObjectOptions
        {
            Description = "a text",
            Metadata = new Dictionary<string, string> { ["owner"] = "us" },
            Headers = new Dictionary<string, IReadOnlyList<string>> { ["Kind"] = ["x", "y"] },
        };
        ObjectInfo put = await ours.PutAsync(Name, content, options, Ended);
        await ours.PutAsync("deleted", new byte[10], cancellationToken: Ended);
        await ours.DeleteAsync("deleted", Ended);
        await ours.PutAsync("empty", ReadOnlyMemory<byte>.Empty, cancellationToken: Ended);
        await ours.AddLinkAsync("link", put, Ended);
        await using NatsConnection connection = Connect(site);

        INatsObjStore theirs = await new NatsObjContext(new NatsJSContext(connection)).GetObjectStoreAsync(site.Name, Ended);

        ObjectMetadata info = await theirs.GetInfoAsync(Name, cancellationToken: Ended);
        Assert.Equal((Name, "a text", 300_000L, 3L, "us"), (info.Name, info.Description, (long)info.Size, (long)info.Chunks, info.Metadata!["owner"]));
        Assert.Equal(["x", "y"], info.Headers!["Kind"]);
        Assert.Equal(content, await theirs.GetBytesAsync(Name, Ended));
        Assert.Equal(content, await theirs.GetBytesAsync("link", Ended));
        Assert.Empty(await theirs.GetBytesAsync("empty", Ended));
        await Assert.ThrowsAsync<NatsObjNotFoundException>(async () => await theirs.GetInfoAsync("deleted", cancellationToken: Ended));
        Assert.Equal(["empty", "link", Name], await theirs.ListAsync(cancellationToken: Ended).Select(static o => o.Name).Order(StringComparer.Ordinal).ToListAsync(Ended));
        await theirs.PutAsync(Name, ObjectStoreTests.Content(20), Ended);
        Assert.Equal(ObjectStoreTests.Content(20), await ours.GetBytesAsync(Name, Ended));
        await theirs.SealAsync(Ended);
        Assert.True((await ours.GetStatusAsync(Ended)).IsSealed);
    }

    private static NatsConnection Connect(StreamSite site) => new(new NatsOpts { Url = $"nats://{site.Connection.Server}", CommandTimeout = Wait.Limit });
}
