using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Objects;

/// <summary>Contents as streams: large ones, damaged ones, and ones whose server is killed.</summary>
public sealed class ObjectContentTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_content_larger_than_the_servers_window_passes(string server)
    {
        const long Size = 80L * 1024 * 1024;
        await using var running = StreamServer.Start(server);
        await using BrokerConnection connection = await running.ConnectAsync();
        using StreamsClient streams = connection.Streams(new StreamsOptions { RequestTimeout = Wait.Limit, AcknowledgementTimeout = Wait.Limit });
        ObjectStore store = await streams.CreateObjectStoreAsync("s", Ended);
        await using var content = new CountedContent(Size);

        ObjectInfo info = await Wait.For(store.PutAsync("large", content, cancellationToken: Ended));

        Assert.Equal((Size, 640L), (info.Size, info.Chunks));
        await using ObjectStream read = await store.OpenAsync("large", Ended);
        await using var check = new CountedContent(Size);
        byte[] one = new byte[300_000];
        byte[] other = new byte[300_000];
        long total = 0;
        while (true)
        {
            int count = await read.ReadAsync(one, Ended);
            if (count == 0)
            {
                break;
            }

            await check.ReadExactlyAsync(other.AsMemory(0, count), Ended);
            Assert.True(one.AsSpan(0, count).SequenceEqual(other.AsSpan(0, count)), $"the content differs after {total} bytes");
            total += count;
            Assert.Equal(total, read.Position);
        }

        Assert.Equal(Size, total);
        Assert.Equal(0, await read.ReadAsync(one, Ended));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task At_most_4_MiB_of_a_content_are_in_memory_while_it_is_put(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { AcknowledgementTimeout = TimeSpan.FromHours(1) });
        // This stream acknowledges nothing, so the put cannot go on.
        await site.Streams.CreateStreamAsync(
            new StreamConfig("OBJ_" + site.Name, $"$O.{site.Name}.>") { NoAck = true, AllowRollup = true, Storage = StorageType.Memory }, Ended);
        ObjectStore store = await site.Streams.GetObjectStoreAsync(site.Name, Ended);
        await using var content = new CountedContent(100_000_000);
        using var cancellation = new CancellationTokenSource();

        Task<ObjectInfo> put = store.PutAsync("a", content, cancellationToken: cancellation.Token);
        await Wait.UntilAsync(async () => (await store.GetStatusAsync(Ended)).Stream.State.Messages == 32);
        await site.Connection.PingAsync(Ended);

        Assert.Equal(4 * 1024 * 1024, content.Position);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(put));
        Assert.Equal(0ul, (await store.GetStatusAsync(Ended)).Stream.State.Messages);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_content_with_a_changed_byte_is_refused_at_its_end(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        ObjectInfo info = await PutAsync(store, 2500);
        string chunks = $"$O.{site.Name}.C.{info.Id}";
        // The last chunk again, with another byte.
        StoredMessage last = (await site.Streams.FindLastMessageAsync("OBJ_" + site.Name, chunks, cancellationToken: Ended))!;
        byte[] changed = last.Body.ToArray();
        changed[^1] ^= 1;
        await site.Streams.DeleteMessageAsync("OBJ_" + site.Name, last.Sequence, cancellationToken: Ended);
        await site.Streams.PublishAsync(chunks, changed, cancellationToken: Ended);

        DamagedObjectException error = await Assert.ThrowsAsync<DamagedObjectException>(() => store.GetBytesAsync("a", Ended));

        Assert.Equal((site.Name, "a"), (error.Store, error.Name));
        Assert.Contains("digest", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_content_without_a_chunk_and_one_with_a_chunk_too_many_are_refused(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        ObjectInfo info = await PutAsync(store, 2500);
        string chunks = $"$O.{site.Name}.C.{info.Id}";
        await site.Streams.PublishAsync(chunks, new byte[1000], cancellationToken: Ended);

        // The content that the description says comes first, and is whole.
        Assert.Equal(ObjectStoreTests.Content(2500), await store.GetBytesAsync("a", Ended));
        StoredMessage last = (await site.Streams.FindLastMessageAsync("OBJ_" + site.Name, chunks, cancellationToken: Ended))!;
        await site.Streams.DeleteMessageAsync("OBJ_" + site.Name, last.Sequence - 2, cancellationToken: Ended);
        DamagedObjectException larger = await Assert.ThrowsAsync<DamagedObjectException>(() => store.GetBytesAsync("a", Ended));
        await site.Streams.DeleteMessageAsync("OBJ_" + site.Name, last.Sequence, cancellationToken: Ended);
        DamagedObjectException missing = await Assert.ThrowsAsync<DamagedObjectException>(() => store.GetBytesAsync("a", Ended));
        await site.Streams.PurgeStreamAsync("OBJ_" + site.Name, new PurgeOptions { Subject = chunks }, Ended);
        DamagedObjectException gone = await Assert.ThrowsAsync<DamagedObjectException>(() => store.GetBytesAsync("a", Ended));

        Assert.Contains("more than the 2500 bytes", larger.Message, StringComparison.Ordinal);
        Assert.Contains("1 of its 3 chunks are missing", missing.Message, StringComparison.Ordinal);
        Assert.Contains("3 of its 3 chunks are missing", gone.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_put_whose_content_fails_leaves_nothing_and_keeps_the_earlier_object(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        await PutAsync(store, 2500);
        await using var failing = new CountedContent(1_000_000) { FailsAt = 500_000 };
        using var cancellation = new CancellationTokenSource();
        await using var cancelling = new CountedContent(1_000_000) { At = (500_000, cancellation.Cancel) };
        var options = new PutObjectOptions { ChunkSize = 1000 };

        await Assert.ThrowsAsync<IOException>(() => store.PutAsync("a", failing, options, Ended));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => store.PutAsync("a", cancelling, options, cancellation.Token));

        Assert.Equal(ObjectStoreTests.Content(2500), await store.GetBytesAsync("a", Ended));
        Assert.Equal(4ul, (await store.GetStatusAsync(Ended)).Stream.State.Messages);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task An_empty_content_can_be_read_and_leaves_nothing_when_it_is_deleted(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);

        ObjectInfo info = await PutAsync(store, 0);

        Assert.Equal((0L, 0L), (info.Size, info.Chunks));
        Assert.Empty(await store.GetBytesAsync("a", Ended));
        await PutAsync(store, 0);
        Assert.True(await store.DeleteAsync("a", Ended));
        // The mark that the object was deleted.
        Assert.Equal(1ul, (await store.GetStatusAsync(Ended)).Stream.State.Messages);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_full_store_refuses_an_object_and_keeps_the_others(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await site.Streams.CreateObjectStoreAsync(new ObjectStoreOptions(site.Name) { Storage = StorageType.Memory, MaxBytes = 100_000 }, Ended);
        await PutAsync(store, 2500);

        StreamException full = await Assert.ThrowsAsync<StreamException>(() => store.PutAsync("b", new byte[200_000], new PutObjectOptions { ChunkSize = 1000 }, Ended));

        Assert.Equal(StreamErrorCode.NotStored, full.Code);
        Assert.Equal(["a"], await store.ListAsync(Ended).Select(static info => info.Name).ToListAsync(Ended));
        Assert.Equal(4ul, (await store.GetStatusAsync(Ended)).Stream.State.Messages);
    }

    [Theory]
    [MemberData(nameof(EachServer.Since210), MemberType = typeof(EachServer))]
    public async Task Put_and_get_go_on_after_the_server_was_killed(string name)
    {
        await using var server = StreamServer.Start(name, ofStreams: "sync_interval: always");
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams(
            new StreamsOptions { RequestTimeout = Wait.Limit, AcknowledgementTimeout = Wait.Limit, NoStreamRetries = 1000 });
        ObjectStore store = await streams.CreateObjectStoreAsync("s", Ended);
        const int Size = 3_000_000;
        await using var content = new CountedContent(Size) { At = (1_000_000, server.Restart) };

        ObjectInfo info = await Wait.For(store.PutAsync("a", content, new PutObjectOptions { ChunkSize = 100_000 }, Ended));
        await using ObjectStream read = await store.OpenAsync("a", Ended);
        byte[] received = new byte[Size];
        await read.ReadExactlyAsync(received.AsMemory(0, 150_000), Ended);
        server.Restart();
        await Wait.For(read.ReadExactlyAsync(received.AsMemory(150_000), Ended).AsTask());

        Assert.Equal(0, await read.ReadAsync(new byte[1], Ended));
        Assert.Equal(30, info.Chunks);
        byte[] expected = new byte[Size];
        await using var again = new CountedContent(Size);
        await again.ReadExactlyAsync(expected, Ended);
        Assert.True(expected.AsSpan().SequenceEqual(received), "the content differs");
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_content_is_read_forward_and_asynchronously_only(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        ObjectStore store = await CreateAsync(site);
        await PutAsync(store, 2500);

        await using ObjectStream content = await store.OpenAsync("a", Ended);

        Assert.Equal((true, false, false, 2500L), (content.CanRead, content.CanSeek, content.CanWrite, content.Length));
        Assert.Throws<NotSupportedException>(() => content.Seek(0, SeekOrigin.Begin));
        Assert.Throws<NotSupportedException>(() => content.Position = 1);
        Assert.Throws<NotSupportedException>(() => content.SetLength(1));
        Assert.Throws<NotSupportedException>(() => content.Write([1], 0, 1));
        Assert.Throws<NotSupportedException>(() => content.Read([1], 0, 1));
        using var copy = new MemoryStream();
        await content.CopyToAsync(copy, Ended);
        Assert.Equal(ObjectStoreTests.Content(2500), copy.ToArray());
    }

    private static Task<ObjectInfo> PutAsync(ObjectStore store, int size)
        => store.PutAsync("a", ObjectStoreTests.Content(size), new PutObjectOptions { ChunkSize = 1000 }, Ended);

    private static Task<ObjectStore> CreateAsync(StreamSite site)
        => site.Streams.CreateObjectStoreAsync(new ObjectStoreOptions(site.Name) { Storage = StorageType.Memory }, Ended);
}
