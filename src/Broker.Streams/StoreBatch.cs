namespace Broker.Streams;

/// <summary>
/// Queues records while it holds the store's lock, so that many messages need one lock and one reading of the clock.
/// </summary>
internal readonly ref struct StoreBatch(StreamStore store, long time)
{
    /// <summary>Queues a message. The bytes are copied.</summary>
    internal QueueStatus Append(
        StoredStream stream, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body, IStoreCompletion? completion = null, long token = 0)
    {
        long size = (long)RecordHead.Length + subject.Length + headers.Length + body.Length;
        QueueStatus status = subject.Length > ushort.MaxValue ? QueueStatus.TooLarge : store.CanQueue(stream, size);
        if (status == QueueStatus.Queued)
        {
            ulong sequence = ++stream.LastAssigned;
            GroupBuffer group = store.Collecting;
            group.Add(GroupBuffer.HeadOf(RecordKind.Message, stream.Id, sequence, time, subject.Length, headers.Length, body.Length), subject, headers, body);
            group.Complete(completion, token, sequence);
        }

        return status;
    }

    /// <summary>Queues the deletion of one message.</summary>
    internal QueueStatus Delete(StoredStream stream, ulong sequence, IStoreCompletion? completion = null, long token = 0)
        => Queue(RecordKind.MessageDeleted, stream, sequence, completion, token);

    /// <summary>
    /// Queues the deletion of all messages before a sequence, which may be at most one more than the last.
    /// </summary>
    internal QueueStatus Purge(StoredStream stream, ulong first, IStoreCompletion? completion = null, long token = 0)
        => Queue(RecordKind.Purged, stream, Math.Min(first, stream.LastAssigned + 1), completion, token);

    internal QueueStatus DeleteStream(StoredStream stream, IStoreCompletion? completion = null, long token = 0)
    {
        QueueStatus status = Queue(RecordKind.StreamDeleted, stream, 0, completion, token);
        if (status == QueueStatus.Queued)
        {
            stream.IsDeleting = true;
            store.Collecting.DeletedStreams.Add(stream);
        }

        return status;
    }

    public void Dispose() => store.EndBatch();

    private QueueStatus Queue(RecordKind kind, StoredStream stream, ulong sequence, IStoreCompletion? completion, long token)
    {
        QueueStatus status = store.CanQueue(stream, RecordHead.Length);
        if (status == QueueStatus.Queued)
        {
            store.Collecting.Add(kind, stream.Id, sequence, time);
            store.Collecting.Complete(completion, token, sequence);
        }

        return status;
    }
}
