namespace Broker.Streams;

/// <summary>A segment with everything that can be read of it, and what is damaged or missing.</summary>
internal sealed class CheckedSegment
{
    // The length of a file that is lost is not known.
    private static readonly long UsualLength = new StoreOptions().SegmentBytes;

    private readonly List<SegmentItem> _items = [];
    private readonly bool _isOpenEnd;
    private readonly SegmentIndex? _index;

    private CheckedSegment(SegmentHeader header, byte[] bytes, SegmentIndex? index, bool isOpenEnd)
    {
        Header = header;
        Bytes = bytes;
        _index = index;
        _isOpenEnd = isOpenEnd;
    }

    internal SegmentHeader Header { get; }

    internal byte[] Bytes { get; }

    internal long Length => Bytes.Length;

    internal IReadOnlyList<SegmentItem> Items => _items;

    internal List<FoundDamage> Notices { get; } = [];

    internal bool HasIndex => _index is not null;

    internal bool IsMissing { get; private init; }

    /// <summary>Whether a repair replaces the segment.</summary>
    internal bool IsDamaged { get; private set; }

    /// <summary>The number of the first group of the next segment.</summary>
    internal ulong NextGroup { get; private set; }

    private string Name => StoreFileNames.Segment(Header.Number);

    internal static CheckedSegment Read(IStoreFiles files, ulong number, bool isLast, bool hasIndexFile, CloseMark? mark)
    {
        byte[] bytes = files.ReadAll(StoreFileNames.Segment(number));
        bool hasHeader = SegmentHeader.TryRead(bytes, out SegmentHeader header, out int damagedAt);
        uint salt = header.Salt;
        SegmentIndex? index = null;
        if (hasIndexFile && SegmentIndex.TryRead(files.ReadAll(StoreFileNames.Index(number)), number, out SegmentIndex read, out uint indexSalt))
        {
            // After a crash in a compaction, the index can be that of the segment that was replaced.
            hasIndexFile = !header.IsCompacted || indexSalt == header.Salt;
            index = hasIndexFile ? read : null;
            salt = hasHeader ? salt : indexSalt;
        }

        bool isReadable = hasHeader || index is not null || SaltSearch.TryFind(bytes, out salt);
        CloseMark? own = isLast && mark?.Segment == number ? mark : null;
        bool isShort = hasHeader && bytes.Length < header.Capacity;
        header = hasHeader ? header : new SegmentHeader { Number = number, FirstGroup = 1, Capacity = bytes.Length, Salt = salt };
        var segment = new CheckedSegment(header, bytes, index, isOpenEnd: isLast && hasHeader && !header.IsReplaced && !isShort && index is null && own is null) { IsDamaged = damagedAt >= 0 };
        SegmentContent? content = isReadable ? SegmentContent.Of(bytes, salt) : null;
        segment._items.AddRange(content?.Items ?? []);
        segment.NextGroup = Math.Max(Math.Max(content?.NextGroup ?? 0, index?.NextGroup ?? 0), own?.NextGroup ?? 0);
        bool endsAtCapacity = hasHeader && (header.IsReplaced || (isLast && index is null && own is null && isShort));
        long end = Math.Max(index?.End ?? own?.End ?? 0, endsAtCapacity ? header.Capacity : 0);
        segment.AddEnd(isReadable || own is not null ? end : Math.Max(bytes.Length, UsualLength), content?.End ?? SegmentHeader.Length);
        segment.AddNotices(hasIndexFile, hasHeader, damagedAt);
        segment.CheckLength(hasHeader, content);
        segment.CheckEnd(own, content);
        segment.IsDamaged |= segment._items.Exists(static item => item.Kind != SegmentItemKind.Record);
        return segment;
    }

    /// <summary>A segment whose file is not there, although later ones or the close mark show that it was.</summary>
    internal static CheckedSegment Missing(ulong number, bool isLast, CloseMark? mark)
    {
        CloseMark? own = isLast && mark?.Segment == number ? mark : null;
        long end = own?.End ?? UsualLength;
        var segment = new CheckedSegment(new SegmentHeader { Number = number, FirstGroup = 0, Capacity = 0, Salt = 0 }, [], index: null, isOpenEnd: false)
        {
            IsMissing = true,
            IsDamaged = true,
            NextGroup = own?.NextGroup ?? 0,
        };
        segment._items.Add(new SegmentItem(SegmentItemKind.Lost, 0, end, SegmentItem.MostRecords(end), IsInLastGroup: false));
        return segment;
    }

    /// <summary>Compares the end with the start of the next segment. Without an index, nothing else tells the end.</summary>
    internal void ContinueWith(ulong firstGroupOfNext)
    {
        if (firstGroupOfNext <= NextGroup)
        {
            return;
        }

        if (!IsMissing && !HasIndex && !Header.IsReplaced)
        {
            AddEnd(Math.Max(Header.Capacity, Length), _items.Count == 0 ? SegmentHeader.Length : _items[^1].Offset + _items[^1].Length);
            IsDamaged = true;
        }

        NextGroup = firstGroupOfNext;
    }

    /// <summary>Describes damage.</summary>
    internal FoundDamage Describe(in SegmentItem item)
    {
        if (IsMissing)
        {
            return new FoundDamage(StoreFindingKind.Damage, Name, 0, item.Length, "the file is missing") { MostRecords = item.Records };
        }

        if (_isOpenEnd && item.IsInLastGroup)
        {
            return new FoundDamage(StoreFindingKind.Unfinished, Name, item.Offset, item.Length, "an unfinished write; nothing in it was acknowledged") { MostRecords = item.Records };
        }

        if (item.Kind == SegmentItemKind.LostFrame)
        {
            return new FoundDamage(StoreFindingKind.Damage, Name, item.Offset, item.Length, "the header of a group is damaged; no record is lost");
        }

        string text = item.Kind == SegmentItemKind.DamagedRecord ? KindOf(RecordHead.Read(Bytes.AsSpan((int)item.Offset)))
            : item.Offset + item.Length > Bytes.Length ? $"the file ends too early; at most {item.Records} records are lost"
            : $"these bytes cannot be read; at most {item.Records} records are lost";
        return new FoundDamage(StoreFindingKind.Damage, Name, item.Offset, item.Length, text) { MostRecords = item.Records };
    }

    /// <summary>Names the records that were in lost bytes, if the index of the segment is there.</summary>
    internal bool TryName(in SegmentItem item, Action<RecordHead> name)
    {
        if (_index is null)
        {
            return false;
        }

        int position = 0;
        for (int i = 0; i < _index.Count; i++)
        {
            IndexEntry entry = _index.Next(ref position);
            if (entry.Offset + entry.Head.Size > item.Offset && entry.Offset < item.Offset + item.Length)
            {
                name(entry.Head);
            }
        }

        return true;
    }

    private static string KindOf(in RecordHead head) => head.Kind switch
    {
        RecordKind.Message => "a message is damaged",
        RecordKind.Stream => "a record of a stream's configuration is damaged",
        RecordKind.SubjectsPurged => $"the purge of a subject before the sequence {head.Sequence} is damaged: messages that it deleted can be there again",
        RecordKind.Consumer or RecordKind.ConsumerChanged => "the progress of a consumer is damaged: it can receive messages again",
        RecordKind.ConsumerDeleted => "the deletion of a consumer is damaged: the consumer can be there again",
        _ => "a record is damaged",
    };

    private void AddEnd(long wanted, long contentEnd)
    {
        long covered = Math.Max(contentEnd, _items.Count == 0 ? 0 : _items[^1].Offset + _items[^1].Length);
        long missing = wanted - covered;
        if (missing >= GroupHeader.Alignment)
        {
            long most = SegmentItem.MostRecords(missing);
            _items.Add(new SegmentItem(most > 0 ? SegmentItemKind.Lost : SegmentItemKind.LostFrame, covered, missing, most, IsInLastGroup: false));
        }
    }

    // The bytes between the last record and the end of a file are not used.
    private void CheckLength(bool hasHeader, SegmentContent? content)
    {
        bool isOdd = _index is { } index ? Length != index.End && hasHeader && Length != Header.Capacity : content is { EndsInPadding: true };
        if (isOdd)
        {
            IsDamaged = true;
            if (!_items.Exists(static item => item.Kind != SegmentItemKind.Record))
            {
                Notices.Add(new FoundDamage(StoreFindingKind.Notice, Name, Length, 0, "the file has another length than it had; no record is lost"));
            }
        }
    }

    // An interrupted repair has replaced the segment and not yet written its index.
    private void CheckEnd(CloseMark? mark, SegmentContent? content)
    {
        if (mark is { } closed && _index is null && content is not null && (content.End != closed.End || content.NextGroup != closed.NextGroup))
        {
            IsDamaged = true;
            if (!_items.Exists(static item => item.Kind != SegmentItemKind.Record))
            {
                Notices.Add(new FoundDamage(StoreFindingKind.Notice, Name, content.End, 0, $"the records do not end where the file '{CloseMark.FileName}' says; no record is lost"));
            }
        }
    }

    private void AddNotices(bool hasIndexFile, bool hasHeader, int damagedAt)
    {
        if (hasIndexFile && _index is null)
        {
            Notices.Add(new FoundDamage(StoreFindingKind.Notice, StoreFileNames.Index(Header.Number), 0, 0, "the index is damaged; it can be made again from the segment"));
        }

        if (damagedAt >= 0)
        {
            StoreFindingKind kind = hasHeader || HasIndex ? StoreFindingKind.Notice : StoreFindingKind.Damage;
            Notices.Add(new FoundDamage(kind, Name, damagedAt, 0, hasHeader ? "one of two copies of the header is damaged" : "both copies of the header are damaged"));
        }
    }
}
