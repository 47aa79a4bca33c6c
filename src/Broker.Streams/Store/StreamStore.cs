namespace Broker.Streams;

/// <summary>
/// Streams in one directory. All streams share one log, so that one sync serves all of them. Callers queue records
/// (<see cref="StoreQueue"/>), which are written in groups (<see cref="GroupWriter"/>) and then reported. Messages can
/// be read on any thread (<see cref="StoreReader"/>).
/// </summary>
internal sealed class StreamStore : IDisposable
{
    private readonly IDisposable _lock;
    private readonly StoreOptions _options;
    private readonly StreamCatalog _catalog;
    private readonly StoreReader _reader;
    private readonly GroupWriter _writer;

    private StreamStore(IStoreFiles files, StoreOptions options, IDisposable held)
    {
        _lock = held;
        _options = options;
        _catalog = new StreamCatalog(options.Quota);
        RecoveredLog recovered = new LogRecovery(files, _catalog, Recovery).Run();
        Queue = new StoreQueue(options, _catalog, Recovery);
        _reader = new StoreReader(Queue, options);
        _writer = new GroupWriter(Queue, new SegmentLog(files, options, _catalog, Queue.Gate, recovered), options.HasThread);
    }

    /// <summary>The findings of the start.</summary>
    internal RecoveryReport Recovery { get; } = new();

    /// <summary>The records that wait to be written.</summary>
    internal StoreQueue Queue { get; }

    /// <summary>The error after which the store has stopped writing.</summary>
    internal Exception? Failure => Queue.Failure;

    /// <summary>Receives the outcome of delete markers, which the store adds when messages expire.</summary>
    internal IStoreCompletion? MarkerReports { get; set; }

    /// <summary>The limit on the messages of this store and of others; null for none.</summary>
    internal StorageQuota? Quota => _options.Quota;

    /// <inheritdoc cref="StoreQueue.IsBusy"/>
    internal bool IsBusy => Queue.IsBusy;

    /// <summary>The time of the next expiry of a message, in ticks of UTC; the maximum for never.</summary>
    internal long NextExpiry
    {
        get
        {
            lock (Queue.Gate)
            {
                return _catalog.Streams.Select(static stream => stream.NextExpiry).DefaultIfEmpty(long.MaxValue).Min();
            }
        }
    }

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
        lock (Queue.Gate)
        {
            return [.. _catalog.Streams];
        }
    }

    internal StoredStream? Find(string name)
    {
        lock (Queue.Gate)
        {
            return _catalog.TryGet(name, out StoredStream? stream) ? stream : null;
        }
    }

    /// <inheritdoc cref="StoreQueue.Create"/>
    internal QueueStatus Create(
        string name, StreamLimits limits, ReadOnlySpan<byte> configuration, IStoreCompletion? completion = null, long token = 0, ulong first = 1)
        => Queue.Create(name, limits, configuration, completion, token, first);

    /// <inheritdoc cref="StoreQueue.Update"/>
    internal QueueStatus Update(StoredStream stream, StreamLimits limits, ReadOnlySpan<byte> configuration, IStoreCompletion? completion = null, long token = 0)
        => Queue.Update(stream, limits, configuration, completion, token);

    /// <summary>Takes the store's lock until the result is disposed.</summary>
    internal StoreBatch Begin() => Queue.Begin();

    /// <summary>Queues the deletion of messages that are older than they or their stream allow.</summary>
    internal void Expire()
    {
        using StoreBatch batch = Queue.Begin(out long now);
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

    /// <inheritdoc cref="StoreReader.Read(StoredStream, ulong, MessageBuffer)"/>
    internal ReadStatus Read(StoredStream stream, ulong sequence, MessageBuffer buffer) => _reader.Read(stream, sequence, buffer);

    /// <inheritdoc cref="StoreReader.ReadNext"/>
    internal ReadStatus ReadNext(StoredStream stream, ulong sequence, MessageBuffer buffer, ReadOnlySpan<byte> filter = default)
        => _reader.ReadNext(stream, sequence, buffer, filter);

    /// <inheritdoc cref="StoreReader.Read(StoredStream, in MessageEntry, Span{byte})"/>
    internal ReadStatus Read(StoredStream stream, in MessageEntry entry, Span<byte> record) => _reader.Read(stream, entry, record);

    /// <inheritdoc cref="StoreReader.Check"/>
    internal ReadStatus Check(StoredStream stream, in MessageEntry entry, ReadOnlySpan<byte> record, out RecordHead head)
        => _reader.Check(stream, entry, record, out head);

    /// <inheritdoc cref="GroupWriter.Commit"/>
    internal bool Commit() => _writer.Commit();

    /// <summary>Writes what is queued, and closes the store.</summary>
    public void Dispose()
    {
        if (!Queue.TryClose())
        {
            return;
        }

        try
        {
            _writer.Dispose();
        }
        finally
        {
            _lock.Dispose();
        }
    }
}
