using System.Text;

namespace Broker.Streams.Tests.Store;

internal static class StoreExtensions
{
    /// <summary>Options of a store whose group is written by <see cref="StreamStore.Commit" />.</summary>
    public static StoreOptions Small(long segmentBytes = 4096, int maxPendingBytes = 1024)
        => new() { SegmentBytes = segmentBytes, MaxPendingBytes = maxPendingBytes, HasThread = false };

    public static StoredStream Add(this StreamStore store, string name, StreamLimits limits = default)
    {
        Assert.Equal(QueueStatus.Queued, store.Create(name, limits, "configuration"u8));
        store.Commit();
        return store.Find(name)!;
    }

    public static QueueStatus Queue(this StreamStore store, StoredStream stream, string body, string subject = "s", IStoreCompletion? completion = null, long token = 0)
    {
        using StoreBatch batch = store.Begin();
        return batch.Append(stream, Encoding.UTF8.GetBytes(subject), "h"u8, Encoding.UTF8.GetBytes(body), completion, token);
    }

    /// <summary>Appends messages in a group each.</summary>
    public static void Append(this StreamStore store, StoredStream stream, params string[] bodies)
    {
        foreach (string body in bodies)
        {
            Assert.Equal(QueueStatus.Queued, store.Queue(stream, body));
            store.Commit();
        }
    }

    public static void Delete(this StreamStore store, StoredStream stream, ulong sequence)
    {
        using (StoreBatch batch = store.Begin())
        {
            Assert.Equal(QueueStatus.Queued, batch.Delete(stream, sequence));
        }

        store.Commit();
    }

    public static void Purge(this StreamStore store, StoredStream stream, ulong first)
    {
        using (StoreBatch batch = store.Begin())
        {
            Assert.Equal(QueueStatus.Queued, batch.Purge(stream, first));
        }

        store.Commit();
    }

    /// <summary>All messages of a stream in order. Fails if the stream is damaged.</summary>
    public static (ulong Sequence, string Text)[] All(this StreamStore store, string name)
    {
        StoredStream stream = store.Find(name)!;
        (ulong, string)[]? all = store.TryAll(stream);
        Assert.NotNull(all);
        return all;
    }

    /// <summary>All messages of a stream in order, or null if the stream is damaged.</summary>
    public static (ulong Sequence, string Text)[]? TryAll(this StreamStore store, StoredStream stream)
    {
        var all = new List<(ulong, string)>();
        var buffer = new MessageBuffer();
        for (ulong next = 0; ; next = buffer.Sequence + 1)
        {
            switch (store.ReadNext(stream, next, buffer))
            {
                case ReadStatus.NotFound:
                    return [.. all];
                case ReadStatus.Damaged:
                    return null;
                default:
                    all.Add((buffer.Sequence, $"{Encoding.UTF8.GetString(buffer.Subject)} {Encoding.UTF8.GetString(buffer.Body)}"));
                    break;
            }
        }
    }
}
