namespace Broker.Streams;

/// <summary>
/// Queues records while it holds the store's lock, so that many messages need one lock and one reading of the clock.
/// </summary>
internal readonly ref struct StoreBatch(StoreQueue queue, long time)
{
    /// <summary>The time of the records, in ticks of UTC.</summary>
    internal long Time => time;

    /// <summary>Queues a message. The bytes are copied.</summary>
    internal QueueStatus Append(
        StoredStream stream,
        ReadOnlySpan<byte> subject,
        ReadOnlySpan<byte> headers,
        ReadOnlySpan<byte> body,
        IStoreCompletion? completion = null,
        long token = 0,
        MessageFlags flags = default)
    {
        long size = (long)RecordHead.Length + subject.Length + headers.Length + body.Length;
        QueueStatus status = subject.Length > ushort.MaxValue ? QueueStatus.TooLarge : queue.CanQueue(stream, size);
        if (status == QueueStatus.Queued)
        {
            ulong sequence = ++stream.LastAssigned;
            GroupBuffer group = queue.Collecting;
            group.Add(GroupBuffer.HeadOf(RecordKind.Message, stream.Id, sequence, time, subject.Length, headers.Length, body.Length, flags), subject, headers, body);
            group.Complete(completion, token, sequence);
            stream.Enqueue(subject, sequence, (int)size);
        }

        return status;
    }

    /// <summary>
    /// Queues a message and the deletion of all messages before it whose subject matches a filter. Both are in the same
    /// group.
    /// </summary>
    internal QueueStatus AppendAndPurge(
        StoredStream stream,
        ReadOnlySpan<byte> subject,
        ReadOnlySpan<byte> headers,
        ReadOnlySpan<byte> body,
        ReadOnlySpan<byte> filter,
        IStoreCompletion? completion,
        long token,
        MessageFlags flags = default)
    {
        long size = (2L * RecordHead.Length) + subject.Length + headers.Length + body.Length + filter.Length + sizeof(long);
        QueueStatus status = queue.CanQueue(stream, size);
        if (status == QueueStatus.Queued)
        {
            status = Append(stream, subject, headers, body, completion, token, flags);
        }

        if (status == QueueStatus.Queued)
        {
            queue.Collecting.AddSubjectsPurged(stream.Id, filter, stream.LastAssigned, 0, time);
        }

        return status;
    }

    /// <summary>
    /// Queues the deletion of the messages before a sequence whose subject matches a filter, except the last ones of
    /// them. The completion receives the number of deleted messages.
    /// </summary>
    internal QueueStatus PurgeSubjects(StoredStream stream, ReadOnlySpan<byte> filter, ulong before, long keep, IStoreCompletion? completion, long token)
    {
        QueueStatus status = filter.Length > ushort.MaxValue ? QueueStatus.TooLarge : queue.CanQueue(stream, RecordHead.Length + filter.Length + sizeof(long));
        if (status == QueueStatus.Queued)
        {
            queue.Collecting.AddSubjectsPurged(stream.Id, filter, Math.Min(before, stream.LastAssigned + 1), keep, time);
            queue.Collecting.Complete(completion, token, 0);
        }

        return status;
    }

    /// <summary>
    /// Queues a consumer with its configuration and all of its progress, or without progress to keep what was queued.
    /// </summary>
    internal QueueStatus PutConsumer(
        StoredStream stream, string name, ReadOnlySpan<byte> configuration, ReadOnlySpan<byte> progress, IStoreCompletion? completion = null, long token = 0)
        => QueueConsumer(RecordKind.Consumer, stream, name, configuration, progress, completion, token);

    /// <summary>Queues deliveries and acknowledgements of a consumer.</summary>
    internal QueueStatus ChangeConsumer(StoredStream stream, string name, ReadOnlySpan<byte> changes)
        => QueueConsumer(RecordKind.ConsumerChanged, stream, name, [], changes, null, 0);

    internal QueueStatus DeleteConsumer(StoredStream stream, string name, IStoreCompletion? completion, long token)
        => QueueConsumer(RecordKind.ConsumerDeleted, stream, name, [], [], completion, token);

    /// <summary>Adds another receiver of the outcome of the record that was queued last.</summary>
    internal void Complete(IStoreCompletion completion, long token) => queue.Collecting.Complete(completion, token, 0);

    private QueueStatus QueueConsumer(
        RecordKind kind, StoredStream stream, string name, ReadOnlySpan<byte> configuration, ReadOnlySpan<byte> progress, IStoreCompletion? completion, long token)
    {
        long size = (long)RecordHead.Length + (3L * name.Length) + configuration.Length + progress.Length;
        QueueStatus status = queue.CanQueue(stream, size);
        if (status == QueueStatus.Queued)
        {
            queue.Collecting.AddConsumer(kind, stream.Id, name, configuration, progress, time);
            queue.Collecting.Complete(completion, token, 0);
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
            queue.Collecting.DeletedStreams.Add(stream);
        }

        return status;
    }

    public void Dispose() => queue.End();

    private QueueStatus Queue(RecordKind kind, StoredStream stream, ulong sequence, IStoreCompletion? completion, long token)
    {
        QueueStatus status = queue.CanQueue(stream, RecordHead.Length);
        if (status == QueueStatus.Queued)
        {
            queue.Collecting.Add(kind, stream.Id, sequence, time);
            queue.Collecting.Complete(completion, token, sequence);
        }

        return status;
    }
}
