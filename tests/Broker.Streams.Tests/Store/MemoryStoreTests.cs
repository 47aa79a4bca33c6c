namespace Broker.Streams.Tests.Store;

public sealed class MemoryStoreTests
{
    private const int Body = 10_000;

    private readonly MemoryFiles _files = new();

    [Fact]
    public void Purged_messages_need_no_memory_although_an_older_message_stays()
    {
        using StreamStore store = Open();
        StoredStream kept = store.Add("kept");
        StoredStream purged = store.Add("purged");
        store.Append(kept, "kept");
        for (int i = 0; i < 1000; i++)
        {
            store.Append(purged, new string('x', Body));
            store.Purge(purged, purged.Last + 1);
        }

        // The chunk of the message that stays, and the one that is written.
        Assert.InRange(_files.AllocatedBytes, Body, 1024 * 1024);
        Assert.Equal([(1, "s kept")], store.All("kept"));
    }

    [Fact]
    public void Deleted_streams_need_no_memory()
    {
        using StreamStore store = Open();
        for (int i = 0; i < 100; i++)
        {
            StoredStream stream = store.Add($"stream {i}");
            store.Append(stream, [.. Enumerable.Repeat(new string('x', Body), 10)]);
            using (StoreBatch batch = store.Begin())
            {
                Assert.Equal(QueueStatus.Queued, batch.DeleteStream(stream));
            }

            store.Commit();
        }

        Assert.InRange(_files.AllocatedBytes, 1, 1024 * 1024);
    }

    [Fact]
    public void A_message_that_stays_does_not_keep_later_segments()
    {
        using StreamStore store = Open(segmentBytes: 64 * 1024, maxPendingBytes: 16 * 1024);
        StoredStream kept = store.Add("kept");
        StoredStream purged = store.Add("purged");
        store.Append(kept, "kept");
        for (int i = 0; i < 100; i++)
        {
            store.Append(purged, new string('x', Body));
            store.Purge(purged, purged.Last + 1);
        }

        Assert.Equal(2, _files.List().Count(static name => name.EndsWith(StoreFileNames.SegmentEnd, StringComparison.Ordinal)));
        Assert.DoesNotContain(_files.List(), static name => name.EndsWith(StoreFileNames.IndexEnd, StringComparison.Ordinal));
        Assert.Equal([(1, "s kept")], store.All("kept"));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    public void Messages_beside_deleted_ones_stay_whole(int step)
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        string[] bodies = [.. Enumerable.Range(0, 300).Select(static i => new string((char)('a' + (i % 26)), Body))];
        for (int i = 0; i < bodies.Length; i += 20)
        {
            // Groups of 200 kB, so that many of them lie in two chunks.
            foreach (string body in bodies.Skip(i).Take(20))
            {
                Assert.Equal(QueueStatus.Queued, store.Queue(stream, body));
            }

            store.Commit();
        }

        var left = new List<(ulong, string)>();
        for (int i = 0; i < bodies.Length; i++)
        {
            if (i % (step * 40) == 0)
            {
                left.Add(((ulong)i + 1, "s " + bodies[i]));
            }
            else
            {
                store.Delete(stream, (ulong)i + 1);
            }
        }

        Assert.Equal(left, store.All("orders"));
        Assert.True(_files.AllocatedBytes <= (left.Count + 2) * 2 * 256 * 1024L, $"{_files.AllocatedBytes} bytes");
    }

    [Fact]
    public void A_message_that_is_deleted_during_its_read_is_not_found_and_not_damaged()
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        store.Append(stream, "read");
        MessageEntry entry = store.FindOrDeleted(stream, 1);
        store.Append(stream, [.. Enumerable.Repeat(new string('x', Body), 60)]);
        store.Purge(stream, 61);

        byte[] record = new byte[entry.Size];

        Assert.Equal(ReadStatus.NotFound, store.Read(stream, entry, record));
        Assert.Null(stream.Damage);
        Assert.Equal(new byte[entry.Size], record);
    }

    private StreamStore Open(long segmentBytes = 64 * 1024 * 1024, int maxPendingBytes = 1024 * 1024)
        => StreamStore.Open(_files, StoreExtensions.Small(segmentBytes, maxPendingBytes));
}
