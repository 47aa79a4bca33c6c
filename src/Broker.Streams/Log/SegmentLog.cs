namespace Broker.Streams;

/// <summary>
/// Writes groups into segments. One thread calls it, without the store's lock, because writes and syncs take long. The
/// catalog is read and changed under the lock only.
/// </summary>
internal sealed class SegmentLog : IDisposable
{
    private const int ZeroBlock = 1024 * 1024;

    private readonly IStoreFiles _files;
    private readonly StoreOptions _options;
    private readonly StreamCatalog _catalog;
    private readonly object _gate;
    private readonly List<Segment> _segments;
    private readonly GroupBuffer _snapshot = new();
    private readonly SegmentCompaction? _compaction;
    private SegmentIndex _index = new();
    private Segment? _active;
    private long _end;
    private ulong _nextGroup;
    private ulong _nextSegment;

    internal SegmentLog(IStoreFiles files, StoreOptions options, StreamCatalog catalog, object gate, RecoveredLog recovered)
    {
        _files = files;
        _options = options;
        _catalog = catalog;
        _gate = gate;
        _segments = recovered.Segments;
        _compaction = files.EndWithProcess ? null : new SegmentCompaction(files, options, catalog, gate, _segments);
        _nextGroup = recovered.NextGroup;
        _nextSegment = recovered.NextSegment;
        if (recovered.Continued is { } index)
        {
            _active = _segments[^1];
            _index = index;
            _end = index.End;
        }
        else
        {
            StartSegment();
        }

        if (recovered.HasCloseMark)
        {
            _files.Delete(CloseMark.FileName);
            _files.SyncDirectory();
        }
    }

    /// <summary>
    /// Makes space for a group. If this fails with an <see cref="IOException" /> and the result of
    /// <see cref="IsStarting" /> is false, nothing has changed.
    /// </summary>
    internal void Reserve(long length)
    {
        if (_end + length > _active!.Header.Capacity)
        {
            StartSegment();
        }
    }

    /// <summary>
    /// True while a new segment takes the place of the active one. After a failure, nothing more can be written.
    /// </summary>
    internal bool IsStarting { get; private set; }

    /// <summary>Writes a group and returns when it is on the disk.</summary>
    internal void Write(GroupBuffer group)
    {
        _active!.File.Write(group.Seal(_nextGroup, _active.Header.Salt), _end);
        _active.File.Sync();
    }

    /// <summary>Adds the records of a group, which is on the disk, to the index and the catalog.</summary>
    internal void Publish(GroupBuffer group)
    {
        int number = 1;
        for (int position = GroupHeader.Length; position < group.Length;)
        {
            long offset = _end + position;
            ReadOnlySpan<byte> record = group.Next(ref position);
            var head = RecordHead.Read(record);
            if (!_files.EndWithProcess)
            {
                _index.Add(offset, record);
            }

            if (head.Kind == RecordKind.Message)
            {
                _catalog.Dequeue(head, head.SubjectOf(record), isStored: true);
                _catalog.AddMessage(head, head.SubjectOf(record), head.HeadersOf(record), _active!, offset);
            }
            else if (_catalog.Apply(head, record, out long purged) && head.Kind == RecordKind.SubjectsPurged)
            {
                group.SetPurged(number, purged);
            }

            number++;
        }

        Advance(group);
    }

    /// <summary>Ends the counts of queued messages of a group that was not written.</summary>
    internal void Discard(GroupBuffer group)
    {
        for (int position = GroupHeader.Length; position < group.Length;)
        {
            ReadOnlySpan<byte> record = group.Next(ref position);
            var head = RecordHead.Read(record);
            if (head.Kind == RecordKind.Message)
            {
                _catalog.Dequeue(head, head.SubjectOf(record), isStored: false);
            }
        }
    }

    /// <summary>
    /// Deletes the oldest segments that have no message any more. The order matters on a disk: a later segment may
    /// contain the deletions of an earlier one. So each deletion is on the disk before the next one begins.
    /// </summary>
    internal void DropUnused()
    {
        while (true)
        {
            Segment unused;
            lock (_gate)
            {
                int place = FindUnused();
                if (place < 0)
                {
                    return;
                }

                unused = _segments[place];
                _segments.RemoveAt(place);
            }

            unused.Dispose();
            _files.Delete(unused.Name);
            _files.SyncDirectory();
            string index = StoreFileNames.Index(unused.Header.Number);
            if (_files.List().Contains(index, StringComparer.Ordinal))
            {
                _files.Delete(index);
            }
        }
    }

    /// <summary>Replaces at most one segment whose messages are mostly deleted, if one waits for it.</summary>
    internal void Compact() => _compaction?.RunOnce();

    /// <summary>Leaves a mark of where the log ends.</summary>
    internal void WriteCloseMark()
    {
        Span<byte> bytes = stackalloc byte[CloseMark.Length];
        new CloseMark(_active!.Header.Number, _end, _nextGroup).Write(bytes);
        _files.Replace(CloseMark.FileName, bytes);
    }

    public void Dispose()
    {
        foreach (Segment segment in _segments)
        {
            segment.Dispose();
        }
    }

    // The last segment is the one that is written.
    private int FindUnused()
    {
        int most = _files.EndWithProcess ? _segments.Count - 1 : Math.Min(_segments.Count - 1, 1);
        for (int i = 0; i < most; i++)
        {
            if (_segments[i] is { Live: 0, IsDamaged: false })
            {
                return i;
            }
        }

        return -1;
    }

    private void Advance(GroupBuffer group)
    {
        _end += group.TotalLength;
        _nextGroup++;
    }

    // Each segment begins with the state of all streams, so that older segments can be deleted.
    private void StartSegment()
    {
        lock (_gate)
        {
            _snapshot.Clear();
            long now = _options.Clock.GetUtcNow().Ticks;
            foreach (StoredStream stream in _catalog.Streams)
            {
                _snapshot.Add(stream, now);
            }
        }

        long least = SegmentHeader.Length + _snapshot.TotalLength + GroupHeader.AlignedLength(_options.MaxPendingBytes);
        var header = new SegmentHeader
        {
            Number = _nextSegment,
            FirstGroup = _nextGroup,
            Capacity = Math.Max(_options.SegmentBytes, least),
            Salt = _options.Salt(),
        };
        IStoreFile file = CreateFilled(header);
        var next = new Segment(header, file) { Memory = file as MemoryFile };
        IsStarting = true;
        _files.Rename(StoreFileNames.Segment(header.Number) + StoreFileNames.Temporary, next.Name);
        _files.SyncDirectory();
        next.File.Write(_snapshot.Seal(_nextGroup, header.Salt), SegmentHeader.Length);
        next.File.Sync();
        Replace(next);
        IsStarting = false;
        _compaction?.Plan();
    }

    private void Replace(Segment next)
    {
        (Segment? closed, SegmentIndex index, long end) = (_active, _index, _end);
        index.End = end;
        index.NextGroup = _nextGroup;
        lock (_gate)
        {
            _segments.Add(next);
        }

        _active = next;
        _index = new SegmentIndex();
        _end = SegmentHeader.Length;
        _nextSegment++;
        for (int position = GroupHeader.Length; position < _snapshot.Length;)
        {
            long offset = _end + position;
            _index.Add(offset, _snapshot.Next(ref position));
        }

        Advance(_snapshot);
        if (closed is { IsDamaged: false })
        {
            try
            {
                SegmentClosing.Close(_files, closed, index);
            }
            catch (IOException)
            {
                // The records are on the disk, and the next start makes the index from them.
            }
        }
    }

    // The file has its full length and is on the disk before it gets its name. So a segment that ends early is damaged.
    private IStoreFile CreateFilled(in SegmentHeader header)
    {
        string name = StoreFileNames.Segment(header.Number) + StoreFileNames.Temporary;
        if (_files.List().Contains(name, StringComparer.Ordinal))
        {
            _files.Delete(name);
        }

        IStoreFile file = _files.Create(name);
        try
        {
            byte[] block = new byte[Math.Min(ZeroBlock, header.Capacity)];
            header.Write(block);
            for (long at = 0; at < header.Capacity; at += block.Length)
            {
                file.Write(block.AsSpan(0, (int)Math.Min(block.Length, header.Capacity - at)), at);
                block.AsSpan(0, SegmentHeader.Length).Clear();
            }

            file.Sync();
            return file;
        }
        catch (IOException)
        {
            file.Dispose();
            throw;
        }
    }
}
