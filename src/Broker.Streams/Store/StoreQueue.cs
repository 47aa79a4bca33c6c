using System.Text;

namespace Broker.Streams;

/// <summary>
/// The records that wait to be written, and what may be added to them. Its lock is that of the store: it also protects
/// the catalog.
/// </summary>
internal sealed class StoreQueue(StoreOptions options, StreamCatalog catalog, RecoveryReport recovery)
{
    private readonly HashSet<string> _creating = new(StringComparer.Ordinal);
    private GroupBuffer _free = new();
    private Exception? _failure;
    private bool _isClosing;

    /// <summary>The lock of the store.</summary>
    internal object Gate { get; } = new();

    /// <summary>The group to which records are added, under the lock.</summary>
    internal GroupBuffer Collecting { get; private set; } = new();

    /// <summary>The error after which nothing is written any more; null for none.</summary>
    internal Exception? Failure
    {
        get
        {
            lock (Gate)
            {
                return _failure;
            }
        }
    }

    /// <summary>Whether half of the bytes that may wait for a sync wait already.</summary>
    internal bool IsBusy
    {
        get
        {
            lock (Gate)
            {
                return Collecting.Length > options.MaxPendingBytes / 2;
            }
        }
    }

    /// <summary>Takes the lock until the result is disposed.</summary>
    internal StoreBatch Begin() => Begin(out _);

    /// <inheritdoc cref="Begin()"/>
    /// <param name="time">The time in ticks of UTC.</param>
    internal StoreBatch Begin(out long time)
    {
        time = options.Clock.GetUtcNow().Ticks;
        Monitor.Enter(Gate);
        return new StoreBatch(this, time);
    }

    /// <summary>Ends a batch.</summary>
    internal void End()
    {
        if (Collecting.Count > 0 && options.HasThread)
        {
            Monitor.Pulse(Gate);
        }

        Monitor.Exit(Gate);
    }

    /// <summary>Queues the creation of a stream. It can be found when the completion has been called.</summary>
    internal QueueStatus Create(
        string name, StreamLimits limits, ReadOnlySpan<byte> configuration, IStoreCompletion? completion = null, long token = 0, ulong first = 1)
    {
        using StoreBatch batch = Begin(out long time);
        QueueStatus status = CanQueue(SizeOf(name, configuration));
        if (status != QueueStatus.Queued)
        {
            return status;
        }

        if (recovery.HasUnknownDamage)
        {
            // A stream of this name may have existed, and its sequences must not be used again.
            return QueueStatus.Damaged;
        }

        if (catalog.TryGet(name, out _) || !_creating.Add(name))
        {
            return QueueStatus.Refused;
        }

        Collecting.CreatedNames.Add(name);
        Collecting.AddStream(catalog.NextId(), name, limits, configuration, (first, first - 1), time);
        Collecting.Complete(completion, token, 0);
        return QueueStatus.Queued;
    }

    /// <summary>Queues new limits and a new configuration.</summary>
    internal QueueStatus Update(StoredStream stream, StreamLimits limits, ReadOnlySpan<byte> configuration, IStoreCompletion? completion = null, long token = 0)
    {
        using StoreBatch batch = Begin(out long time);
        QueueStatus status = CanQueue(stream, SizeOf(stream.Name, configuration));
        if (status == QueueStatus.Queued)
        {
            Collecting.AddStream(stream.Id, stream.Name, limits, configuration, (stream.First, stream.Last), time);
            Collecting.Complete(completion, token, stream.Last);
        }

        return status;
    }

    /// <summary>
    /// Queues a message of another store with its sequence and time. Returns false if it must wait for a commit.
    /// </summary>
    internal bool TryImport(StoredStream stream, RecordHead head, ReadOnlySpan<byte> record)
    {
        using StoreBatch batch = Begin();
        if (CanQueue(stream, head.Size) != QueueStatus.Queued)
        {
            return false;
        }

        ReadOnlySpan<byte> subject = head.SubjectOf(record);
        RecordHead own = GroupBuffer.HeadOf(
            RecordKind.Message, stream.Id, head.Sequence, head.Time, head.SubjectLength, head.HeadersLength, head.BodyOf(record).Length, head.Flags);
        Collecting.Add(own, subject, head.HeadersOf(record), head.BodyOf(record));
        stream.Enqueue(subject, head.Sequence, head.Size);
        return true;
    }

    /// <summary>
    /// Queues the end of a stream's damage. Nobody reads or writes the stream before the record is on the disk.
    /// </summary>
    internal void EndDamage(StoredStream stream)
    {
        using StoreBatch batch = Begin(out long time);
        Collecting.Add(RecordKind.StreamRepaired, stream.Id, 0, time);
    }

    /// <summary>
    /// Queues the damage of a stream, so that it is refused after a restart too. The caller holds the lock.
    /// </summary>
    internal void AddDamage(StoredStream stream, StreamDamage damage)
    {
        if (CanQueue(stream, RecordHead.Length + sizeof(ulong)) == QueueStatus.Queued)
        {
            Collecting.AddDamage(stream.Id, damage);
            Monitor.Pulse(Gate);
        }
    }

    /// <summary>Whether a record of a stream may be added. The caller holds the lock.</summary>
    internal QueueStatus CanQueue(StoredStream stream, long size)
    {
        if (stream.Damage is not null)
        {
            return QueueStatus.Damaged;
        }

        bool exists = catalog.TryGet(stream.Id, out StoredStream? known) && known == stream && !stream.IsDeleting;
        return exists ? CanQueue(size) : QueueStatus.Refused;
    }

    /// <summary>Waits for a record. Returns false if there is none and the store is closing.</summary>
    internal bool Await()
    {
        lock (Gate)
        {
            while (Collecting.Count == 0 && !_isClosing)
            {
                Monitor.Wait(Gate);
            }

            return Collecting.Count > 0;
        }
    }

    /// <summary>Takes the group to write it. Returns false if it is empty.</summary>
    internal bool TryTake(out GroupBuffer group)
    {
        lock (Gate)
        {
            group = Collecting;
            if (group.Count == 0)
            {
                return false;
            }

            (Collecting, _free) = (_free, Collecting);
            return true;
        }
    }

    /// <summary>Ends the state of names and streams that waited for a group. The caller holds the lock.</summary>
    internal void Settle(GroupBuffer group)
    {
        _creating.ExceptWith(group.CreatedNames);
        group.DeletedStreams.ForEach(static stream => stream.IsDeleting = false);
    }

    /// <summary>Refuses everything from now on.</summary>
    internal void Stop(Exception failure)
    {
        lock (Gate)
        {
            _failure ??= failure;
        }
    }

    /// <summary>
    /// Refuses everything from now on, because the store is closed. Returns false if it was closed before.
    /// </summary>
    internal bool TryClose()
    {
        lock (Gate)
        {
            if (_isClosing)
            {
                return false;
            }

            _isClosing = true;
            Monitor.PulseAll(Gate);
            return true;
        }
    }

    private static long SizeOf(string name, ReadOnlySpan<byte> configuration)
        => (long)RecordHead.Length + Encoding.UTF8.GetByteCount(name) + StreamLimits.EncodedLength + configuration.Length;

    private QueueStatus CanQueue(long size)
    {
        if (_failure is not null || _isClosing)
        {
            return QueueStatus.Stopped;
        }

        if (size > options.MaxPendingBytes - GroupHeader.Length)
        {
            return QueueStatus.TooLarge;
        }

        return Collecting.Length + size > options.MaxPendingBytes ? QueueStatus.Full : QueueStatus.Queued;
    }
}
