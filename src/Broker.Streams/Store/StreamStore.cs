using System.Text;

namespace Broker.Streams;

/// <summary>
/// Streams in one directory. All streams share one log, so that one sync serves all of them. Callers queue records; a
/// thread of the store writes what has collected, syncs it, and then reports it. While one sync runs, the next group
/// collects.
/// </summary>
internal sealed class StreamStore : IDisposable
{
    private readonly object _gate = new();
    private readonly IStoreFiles _files;
    private readonly StoreOptions _options;
    private readonly IDisposable _lock;
    private readonly StreamCatalog _catalog;
    private readonly HashSet<string> _creating = new(StringComparer.Ordinal);
    private readonly SegmentLog _log;
    private readonly Thread? _thread;
    private GroupBuffer _writing = new();
    private Exception? _failure;
    private bool _isClosing;

    private StreamStore(IStoreFiles files, StoreOptions options, IDisposable held)
    {
        _files = files;
        _options = options;
        _lock = held;
        _catalog = new StreamCatalog(options.Quota);
        RecoveredLog recovered = new LogRecovery(files, _catalog, Recovery).Run();
        _log = new SegmentLog(files, options, _catalog, _gate, recovered);
        if (options.HasThread)
        {
            _thread = new Thread(Run) { IsBackground = true, Name = "broker store" };
            _thread.Start();
        }
    }

    /// <summary>The findings of the start.</summary>
    internal RecoveryReport Recovery { get; } = new();

    /// <summary>The error after which the store has stopped writing.</summary>
    internal Exception? Failure
    {
        get
        {
            lock (_gate)
            {
                return _failure;
            }
        }
    }

    /// <summary>Receives the outcome of delete markers, which the store adds when messages expire.</summary>
    internal IStoreCompletion? MarkerReports { get; set; }

    /// <summary>The limit on the messages of this store and of others; null for none.</summary>
    internal StorageQuota? Quota => _options.Quota;

    internal GroupBuffer Collecting { get; private set; } = new();

    /// <summary>Opens the store of a directory, or creates one in an empty directory.</summary>
    /// <exception cref="StoreException">
    /// Another process uses the store, the directory contains something else, or the store has another format version.
    /// </exception>
    internal static StreamStore Open(IStoreFiles files, StoreOptions options)
    {
        options.Validate();
        _ = StoreDirectory.IsStore(files);
        IDisposable held = files.Lock(StoreFileNames.Lock);
        try
        {
            if (!StoreDirectory.IsStore(files))
            {
                StoreDirectory.Create(files);
            }

            return new StreamStore(files, options, held);
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    internal StoredStream[] Streams()
    {
        lock (_gate)
        {
            return [.. _catalog.Streams];
        }
    }

    internal StoredStream? Find(string name)
    {
        lock (_gate)
        {
            return _catalog.TryGet(name, out StoredStream? stream) ? stream : null;
        }
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

        if (Recovery.HasUnknownDamage)
        {
            // A stream of this name may have existed, and its sequences must not be used again.
            return QueueStatus.Damaged;
        }

        if (_catalog.TryGet(name, out _) || !_creating.Add(name))
        {
            return QueueStatus.Refused;
        }

        Collecting.CreatedNames.Add(name);
        Collecting.AddStream(_catalog.NextId(), name, limits, configuration, (first, first - 1), time);
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

    /// <summary>Whether half of the bytes that may wait for a sync wait already.</summary>
    internal bool IsBusy
    {
        get
        {
            lock (_gate)
            {
                return Collecting.Length > _options.MaxPendingBytes / 2;
            }
        }
    }

    /// <summary>The time of the next expiry of a message, in ticks of UTC; the maximum for never.</summary>
    internal long NextExpiry
    {
        get
        {
            lock (_gate)
            {
                return _catalog.Streams.Select(static stream => stream.NextExpiry).DefaultIfEmpty(long.MaxValue).Min();
            }
        }
    }

    /// <summary>Takes the store's lock until the result is disposed.</summary>
    internal StoreBatch Begin() => Begin(out _);

    /// <summary>Queues the deletion of messages that are older than they or their stream allow.</summary>
    internal void Expire()
    {
        using StoreBatch batch = Begin(out long now);
        foreach (StoredStream stream in _catalog.Streams)
        {
            if (stream.Expiries is not null || stream.MarkerHeaders is not null)
            {
                ExpiryRun.Expire(batch, stream, MarkerReports);
            }
            else if (stream.Limits.MaxAge > TimeSpan.Zero && stream.OldestTime < now - stream.Limits.MaxAge.Ticks)
            {
                batch.Purge(stream, stream.FirstAfter(now - stream.Limits.MaxAge.Ticks));
            }
        }
    }

    /// <summary>Reads a message and checks it.</summary>
    internal ReadStatus Read(StoredStream stream, ulong sequence, MessageBuffer buffer)
    {
        MessageEntry entry;
        lock (_gate)
        {
            if (stream.Damage is not null)
            {
                return ReadStatus.Damaged;
            }

            if (!stream.TryFind(sequence, out entry))
            {
                return ReadStatus.NotFound;
            }
        }

        return Read(stream, entry, buffer);
    }

    /// <summary>Reads the first message whose sequence is not smaller and whose subject matches a filter.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="sequence">The sequence to begin with.</param>
    /// <param name="buffer">The buffer that receives the message.</param>
    /// <param name="filter">The filter; empty for all subjects.</param>
    internal ReadStatus ReadNext(StoredStream stream, ulong sequence, MessageBuffer buffer, ReadOnlySpan<byte> filter = default)
    {
        while (true)
        {
            MessageEntry entry;
            lock (_gate)
            {
                if (stream.Damage is not null)
                {
                    return ReadStatus.Damaged;
                }

                if (!stream.TryFindNext(sequence, filter, out entry))
                {
                    return ReadStatus.NotFound;
                }
            }

            ReadStatus status = Read(stream, entry, buffer);
            if (status != ReadStatus.NotFound)
            {
                return status;
            }
        }
    }

    /// <summary>
    /// Reads bytes from the place of a message on. They are not checked. Returns null if the read would have to wait for
    /// the disk and must not.
    /// </summary>
    internal static ReadStatus? ReadBytes(StoredStream stream, in MessageEntry entry, Span<byte> bytes, bool canWait)
    {
        if (stream.Damage is not null)
        {
            return ReadStatus.Damaged;
        }

        try
        {
            if (!canWait)
            {
                return entry.Segment!.File.TryReadNow(bytes, entry.Offset) ? ReadStatus.Found : null;
            }

            // What a damaged file does not have any more is refused by the check.
            bytes[entry.Segment!.File.Read(bytes, entry.Offset)..].Clear();
            return ReadStatus.Found;
        }
        catch (IOException)
        {
            // So is what the disk cannot read.
            bytes.Clear();
            return ReadStatus.Found;
        }
        catch (ObjectDisposedException)
        {
            // The message and its segment were deleted meanwhile.
            return ReadStatus.NotFound;
        }
    }

    /// <summary>Checks the bytes of a message that were read.</summary>
    internal ReadStatus Check(StoredStream stream, in MessageEntry entry, ReadOnlySpan<byte> record, out RecordHead head)
    {
        if (RecordReader.IsWhole(entry.Segment!, record, out head) && head.Stream == stream.Id && head.Sequence == entry.Sequence)
        {
            return ReadStatus.Found;
        }

        return Refuse(stream, entry);
    }

    /// <summary>Reads the record of a message and checks it.</summary>
    internal ReadStatus Read(StoredStream stream, in MessageEntry entry, Span<byte> record)
        => ReadBytes(stream, entry, record, canWait: true) is { } status and not ReadStatus.Found ? status : Check(stream, entry, record, out _);

    /// <summary>Writes, syncs and reports what has been queued. Returns false if there was nothing.</summary>
    internal bool Commit()
    {
        lock (_gate)
        {
            if (Collecting.Count == 0)
            {
                return false;
            }

            (Collecting, _writing) = (_writing, Collecting);
        }

        StoreOutcome outcome = Write(_writing);
        lock (_gate)
        {
            if (outcome == StoreOutcome.Stored)
            {
                _log.Publish(_writing);
            }
            else
            {
                _log.Discard(_writing);
            }

            _creating.ExceptWith(_writing.CreatedNames);
            _writing.DeletedStreams.ForEach(static stream => stream.IsDeleting = false);
        }

        _writing.Report(outcome);
        _writing.Clear();
        if (outcome == StoreOutcome.Stored)
        {
            DropUnused();
        }

        return true;
    }

    /// <summary>Writes what is queued, and closes the store.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            if (_isClosing)
            {
                return;
            }

            _isClosing = true;
            Monitor.PulseAll(_gate);
        }

        _thread?.Join();
        while (Commit())
        {
        }

        CloseFiles();
    }

    internal QueueStatus CanQueue(StoredStream stream, long size)
    {
        if (stream.Damage is not null)
        {
            return QueueStatus.Damaged;
        }

        bool exists = _catalog.TryGet(stream.Id, out StoredStream? known) && known == stream && !stream.IsDeleting;
        return exists ? CanQueue(size) : QueueStatus.Refused;
    }

    internal void EndBatch()
    {
        if (Collecting.Count > 0 && _thread is not null)
        {
            Monitor.Pulse(_gate);
        }

        Monitor.Exit(_gate);
    }

    private static long SizeOf(string name, ReadOnlySpan<byte> configuration)
        => (long)RecordHead.Length + Encoding.UTF8.GetByteCount(name) + StreamLimits.EncodedLength + configuration.Length;

    private StoreBatch Begin(out long time)
    {
        time = _options.Clock.GetUtcNow().Ticks;
        Monitor.Enter(_gate);
        return new StoreBatch(this, time);
    }

    private QueueStatus CanQueue(long size)
    {
        if (_failure is not null || _isClosing)
        {
            return QueueStatus.Stopped;
        }

        if (size > _options.MaxPendingBytes - GroupHeader.Length)
        {
            return QueueStatus.TooLarge;
        }

        return Collecting.Length + size > _options.MaxPendingBytes ? QueueStatus.Full : QueueStatus.Queued;
    }

    private ReadStatus Read(StoredStream stream, in MessageEntry entry, MessageBuffer buffer)
    {
        try
        {
            if (buffer.TryRead(stream, entry))
            {
                return ReadStatus.Found;
            }
        }
        catch (ObjectDisposedException)
        {
            // The message and its segment were deleted meanwhile.
            return ReadStatus.NotFound;
        }

        return Refuse(stream, entry);
    }

    // The damage is recorded, so that the stream is refused after a restart too.
    private ReadStatus Refuse(StoredStream stream, in MessageEntry entry)
    {
        var damage = new StreamDamage(entry.Segment!.Header.Number, entry.Offset, entry.Sequence);
        lock (_gate)
        {
            if (stream.Damage is not null)
            {
                return ReadStatus.Damaged;
            }

            // The bytes of a message in memory leave when it is deleted, which can be during the read.
            if (!stream.TryFind(entry.Sequence, out _))
            {
                return ReadStatus.NotFound;
            }

            if (CanQueue(stream, RecordHead.Length + sizeof(ulong)) == QueueStatus.Queued)
            {
                Collecting.AddDamage(stream.Id, damage);
                Monitor.Pulse(_gate);
            }

            stream.Damage = damage;
        }

        _options.OnDamage(stream.Name, damage);
        return ReadStatus.Damaged;
    }

    private void Run()
    {
        while (true)
        {
            lock (_gate)
            {
                while (Collecting.Count == 0 && !_isClosing)
                {
                    Monitor.Wait(_gate);
                }

                if (Collecting.Count == 0)
                {
                    return;
                }
            }

            Commit();
        }
    }

    private StoreOutcome Write(GroupBuffer group)
    {
        if (_failure is not null)
        {
            return StoreOutcome.Failed;
        }

        try
        {
            _log.Reserve(group.TotalLength);
        }
        catch (IOException) when (!_log.IsStarting)
        {
            return StoreOutcome.NoSpace;
        }
        catch (IOException e)
        {
            return Fail(e);
        }

        try
        {
            _log.Write(group);
            return StoreOutcome.Stored;
        }
        catch (IOException e)
        {
            return Fail(e);
        }
    }

    private void DropUnused()
    {
        try
        {
            _log.DropUnused();
        }
        catch (IOException e)
        {
            Fail(e);
        }
    }

    private StoreOutcome Fail(IOException error)
    {
        lock (_gate)
        {
            _failure ??= error;
        }

        return StoreOutcome.Failed;
    }

    private void CloseFiles()
    {
        try
        {
            if (_failure is null)
            {
                _log.WriteCloseMark();
            }
        }
        catch (IOException e)
        {
            // Without the mark, the next start reads the store as after a crash.
            Fail(e);
        }
        finally
        {
            _log.Dispose();
            _lock.Dispose();
        }
    }
}
