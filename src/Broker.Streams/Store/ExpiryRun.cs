namespace Broker.Streams;

/// <summary>
/// Queues the deletion of the messages of a stream that have expired, and the markers of subjects that have none left.
/// </summary>
internal sealed class ExpiryRun(StoredStream stream, MessageExpiries expiries, IStoreCompletion? markerReports) : IStoreCompletion
{
    private readonly Dictionary<SubjectState, long> _deleted = [];

    /// <summary>Queues what has expired, under the store's lock.</summary>
    internal static void Expire(in StoreBatch batch, StoredStream stream, IStoreCompletion? markerReports)
    {
        MessageExpiries expiries = stream.Expiries ??= new MessageExpiries(stream);
        if (!expiries.HasPending)
        {
            new ExpiryRun(stream, expiries, markerReports).Run(batch);
        }
    }

    public void OnStored(long token, ulong sequence, StoreOutcome outcome) => expiries.EndDeletion();

    private void Run(in StoreBatch batch)
    {
        var taken = new HashSet<ulong>();
        bool hasRoom = true;
        while (hasRoom && expiries.TryTakeDue(batch.Time, out MessageEntry entry))
        {
            taken.Add(entry.Sequence);
            hasRoom = TryDelete(batch, entry);
        }

        // They are tried again until they are deleted, because the disk can be full.
        foreach (ulong sequence in taken)
        {
            expiries.Return(sequence);
        }

        long oldest = stream.Limits.MaxAge > TimeSpan.Zero ? batch.Time - stream.Limits.MaxAge.Ticks : long.MinValue;
        if (hasRoom && expiries.TryFindAged(out MessageEntry aged) && aged.Time < oldest)
        {
            DeleteAged(batch, aged.Sequence, oldest, taken);
        }
    }

    private void DeleteAged(in StoreBatch batch, ulong next, long oldest, HashSet<ulong> taken)
    {
        while (stream.TryFindNext(next, default, out MessageEntry entry) && entry.Time < oldest)
        {
            next = entry.Sequence + 1;
            if (!expiries.IsUnlimited(entry.Sequence) && !taken.Contains(entry.Sequence) && !TryDelete(batch, entry))
            {
                return;
            }
        }
    }

    // The marker is before the deletion in the log, so after a crash between both the subject has a marker too.
    private bool TryDelete(in StoreBatch batch, in MessageEntry entry)
    {
        SubjectState subject = entry.Subject;
        long before = _deleted.GetValueOrDefault(subject);
        bool isLast = subject.Count - before == 1 && subject.Queued == 0;
        if (isLast && stream.MarkerHeaders is { } headers && !expiries.IsMarker(entry.Sequence)
            && batch.Append(stream, subject.Name, headers, [], markerReports, stream.MarkerToken, MessageFlags.HasTimeToLive | MessageFlags.IsMarker) != QueueStatus.Queued)
        {
            return false;
        }

        if (batch.Delete(stream, entry.Sequence, this) != QueueStatus.Queued)
        {
            return false;
        }

        _deleted[subject] = before + 1;
        expiries.BeginDeletion();
        return true;
    }
}
