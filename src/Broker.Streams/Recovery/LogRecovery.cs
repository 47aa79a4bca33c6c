namespace Broker.Streams;

/// <summary>Reads the segments of a store at its start, oldest first, and fills the catalog.</summary>
internal sealed class LogRecovery
{
    private readonly IStoreFiles _files;
    private readonly StreamCatalog _catalog;
    private readonly RecoveryReport _report;
    private readonly RecoveredLog _log = new();
    private readonly Dictionary<uint, StreamDamage> _damage = [];
    private readonly HashSet<string> _names;
    private StreamDamage? _unknownDamage;

    // Only the last segment needs this: the state of the streams in a segment includes those of the segments before.
    private long _skipped;

    internal LogRecovery(IStoreFiles files, StreamCatalog catalog, RecoveryReport report)
    {
        _files = files;
        _catalog = catalog;
        _report = report;
        _names = [.. files.List()];
    }

    internal RecoveredLog Run()
    {
        try
        {
            // After the end of a process, its last changes may still be in memory only.
            _files.SyncDirectory();
            ReadAll();
            return _log;
        }
        catch
        {
            _log.Segments.ForEach(static segment => segment.Dispose());
            throw;
        }
    }

    private void ReadAll()
    {
        bool hasMark = TryReadMark(out CloseMark mark);
        ulong[] numbers = [.. Numbers(StoreFileNames.SegmentEnd)];
        DeleteOrphans(numbers);
        for (int i = 0; i < numbers.Length; i++)
        {
            if (i > 0 && numbers[i] != numbers[i - 1] + 1)
            {
                AddDamage(new ScanFinding(null, 0, 0), numbers[i] - 1, "is missing");
            }

            bool isLast = i == numbers.Length - 1;
            ulong? next = isLast ? null : numbers[i + 1];
            ReadSegment(numbers[i], next, isLast && hasMark && mark.Segment == numbers[i] ? mark : null);
        }

        if (hasMark && (numbers.Length == 0 || mark.Segment > numbers[^1]))
        {
            AddDamage(new ScanFinding(null, 0, mark.End), mark.Segment, "is missing");
            _log.NextSegment = Math.Max(_log.NextSegment, mark.Segment + 1);
        }

        MarkStreams();
    }

    private bool TryReadMark(out CloseMark mark)
    {
        mark = default;
        _log.HasCloseMark = _names.Contains(CloseMark.FileName);
        if (_log.HasCloseMark && !CloseMark.TryRead(_files.ReadAll(CloseMark.FileName), out mark))
        {
            _report.Notices.Add($"The file '{CloseMark.FileName}' is damaged. The store is read as after a crash.");
            return false;
        }

        return _log.HasCloseMark;
    }

    private IEnumerable<ulong> Numbers(string end)
        => _names.Select(name => StoreFileNames.TryParse(name, end, out ulong number) ? number : 0).Where(static number => number > 0).Order();

    private void DeleteOrphans(ulong[] segments)
    {
        foreach (string name in _names.Where(static name => name.EndsWith(StoreFileNames.Temporary, StringComparison.Ordinal)))
        {
            _files.Delete(name);
        }

        foreach (ulong number in Numbers(StoreFileNames.IndexEnd).Except(segments))
        {
            _files.Delete(StoreFileNames.Index(number));
        }
    }

    private void ReadSegment(ulong number, ulong? next, CloseMark? mark)
    {
        IStoreFile file = _files.Open(StoreFileNames.Segment(number));
        Span<byte> start = stackalloc byte[SegmentHeader.Length];
        bool hasHeader = SegmentHeader.TryRead(start[..file.Read(start, 0)], out SegmentHeader header, out int damagedAt);
        bool hasIndex = TryReadIndex(number, out SegmentIndex? index, out uint salt);
        if (damagedAt >= 0)
        {
            _report.Notices.Add($"The header of '{StoreFileNames.Segment(number)}' is damaged at offset {damagedAt}.");
        }

        if (hasHeader && header.IsCompacted && salt != header.Salt)
        {
            // A crash between the new segment and its index. The index is that of the old segment.
            hasIndex = false;
        }

        if (!hasHeader)
        {
            header = new SegmentHeader { Number = number, FirstGroup = 0, Capacity = file.Length, Salt = salt };
        }

        var segment = new Segment(header, file);
        _log.Segments.Add(segment);
        _log.NextSegment = number + 1;
        if (hasIndex)
        {
            ReadClosed(segment, index!);
        }
        else if (hasHeader)
        {
            Scan(segment, next, mark);
        }
        else
        {
            AddDamage(new ScanFinding(null, 0, 0), number, "has no readable header and no index");
            segment.IsDamaged = true;
        }
    }

    private bool TryReadIndex(ulong number, out SegmentIndex? index, out uint salt)
    {
        index = null;
        salt = 0;
        string name = StoreFileNames.Index(number);
        if (!_names.Contains(name))
        {
            return false;
        }

        if (SegmentIndex.TryRead(_files.ReadAll(name), number, out index, out salt))
        {
            return true;
        }

        _report.Notices.Add($"The index '{name}' is damaged. It is made again from the segment.");
        return false;
    }

    private void ReadClosed(Segment segment, SegmentIndex index)
    {
        long length = segment.File.Length;
        if (length != index.End && length != segment.Header.Capacity)
        {
            _report.Notices.Add($"The segment '{segment.Name}' has {length} bytes. Its index wants {index.End}.");
        }

        Replay(segment, index);
        _log.NextGroup = index.NextGroup;
        _skipped = index.Skipped;
        _log.Continued = null;
    }

    private void Scan(Segment segment, ulong? next, CloseMark? mark)
    {
        bool isLast = next is null;
        segment.File.Sync();
        byte[] data = segment.File.ReadAll();
        var scan = SegmentScan.Of(data, segment.Header);
        foreach (long offset in scan.DamagedHeaders)
        {
            _report.Notices.Add($"A group's header in '{segment.Name}' is damaged at offset {offset}. Its records are whole.");
        }

        bool isShort = isLast ? data.Length != segment.Header.Capacity : data.Length < scan.End;
        bool isIncomplete = mark is { } closed ? scan.End != closed.End || scan.NextGroup != closed.NextGroup : isShort || (!isLast && (scan.IsCut || !IsContinued(segment, data.Length, next!.Value, scan.NextGroup)));
        foreach (ScanFinding finding in scan.Damage)
        {
            AddDamage(finding, segment.Header.Number, "is damaged");
        }

        if (isIncomplete)
        {
            AddDamage(new ScanFinding(null, 0, scan.End), segment.Header.Number, $"is incomplete; {scan.CutBytes} bytes follow the last whole record");
        }

        segment.IsDamaged = isIncomplete || scan.Damage.Count > 0;
        Replay(segment, scan.Index);
        _log.NextGroup = Math.Max(scan.NextGroup, mark?.NextGroup ?? 0);
        _skipped = scan.Index.Skipped;
        bool canContinue = isLast && !segment.IsDamaged && !scan.IsCut && data.Length == segment.Header.Capacity && scan.Index.End > SegmentHeader.Length;
        _log.Continued = canContinue ? scan.Index : null;
        if (isLast && !isIncomplete && scan.IsCut)
        {
            _report.CutBytes = Math.Max(scan.CutBytes, 1);
            _report.CutFile = segment.Name;
        }

        if (!canContinue && !segment.IsDamaged)
        {
            SegmentClosing.Close(_files, segment, scan.Index);
        }
    }

    // A segment without an index must end where the next one begins. Otherwise groups at its end are missing.
    private bool IsContinued(Segment segment, long length, ulong next, ulong group)
    {
        if (segment.Header.IsReplaced)
        {
            return length == segment.Header.Capacity;
        }

        using IStoreFile file = _files.Open(StoreFileNames.Segment(next));
        Span<byte> start = stackalloc byte[SegmentHeader.Length];
        return !SegmentHeader.TryRead(start[..file.Read(start, 0)], out SegmentHeader header, out _) || header.IsReplaced || header.FirstGroup == group;
    }

    private void Replay(Segment segment, SegmentIndex index)
    {
        // The system is asked once, because a segment can have a million messages.
        long length = segment.File.Length;
        int position = 0;
        byte[] buffer = [];
        for (int i = 0; i < index.Count; i++)
        {
            IndexEntry entry = index.Next(ref position);
            RecordHead head = entry.Head;
            bool isKnown = head is { Kind: RecordKind.Message, Flags: MessageFlags.None }
                ? _catalog.AddMessage(head, entry.Subject, default, segment, entry.Offset)
                : head.Kind == RecordKind.Message
                ? RecordReader.TryRead(segment, entry.Offset, head.Size, ref buffer, out _) && _catalog.AddMessage(head, entry.Subject, head.HeadersOf(buffer), segment, entry.Offset)
                : RecordReader.TryRead(segment, entry.Offset, head.Size, ref buffer, out _) && _catalog.Apply(head, buffer, out _);
            if (!isKnown)
            {
                AddDamage(new ScanFinding(head.Stream, head.Kind == RecordKind.Message ? head.Sequence : 0, entry.Offset), segment.Header.Number, "is damaged");
                segment.IsDamaged = true;
            }
            else if (head.Kind == RecordKind.Message && entry.Offset + head.Size > length)
            {
                AddDamage(new ScanFinding(head.Stream, head.Sequence, entry.Offset), segment.Header.Number, "ends before this record");
                segment.IsDamaged = true;
            }
        }
    }

    private void AddDamage(ScanFinding finding, ulong segment, string what)
    {
        var damage = new StreamDamage(segment, finding.Offset, finding.Sequence);
        if (finding.Stream is { } stream)
        {
            _damage.TryAdd(stream, damage);
        }
        else
        {
            _unknownDamage ??= damage;
            _report.HasUnknownDamage = true;
        }

        string whose = finding.Stream is { } id ? $"stream {id}, sequence {finding.Sequence}" : "all streams";
        _report.Damage.Add($"The segment '{damage.File}' {what} at offset {finding.Offset}: {whose}.");
    }

    // Sequences that may have been in lost bytes are not used again.
    private void MarkStreams()
    {
        foreach (StoredStream stream in _catalog.Streams)
        {
            stream.Damage ??= _damage.GetValueOrDefault(stream.Id) ?? _unknownDamage;
            if (_skipped > 0)
            {
                stream.Advance(stream.Last + (ulong)_skipped);
            }
        }
    }
}
