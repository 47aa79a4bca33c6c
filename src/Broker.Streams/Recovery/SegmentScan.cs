namespace Broker.Streams;

/// <summary>Reads all records of a segment that has no index.</summary>
internal sealed class SegmentScan
{
    private readonly byte[] _data;
    private readonly uint _salt;

    private SegmentScan(byte[] data, uint salt, ulong firstGroup)
    {
        _data = data;
        _salt = salt;
        NextGroup = firstGroup;
    }

    internal SegmentIndex Index { get; } = new();

    internal List<ScanFinding> Damage { get; } = [];

    /// <summary>Offsets of damaged group headers whose records are all whole.</summary>
    internal List<long> DamagedHeaders { get; } = [];

    /// <summary>The offset behind the last whole record.</summary>
    internal long End { get; private set; }

    internal ulong NextGroup { get; private set; }

    /// <summary>True if a part of a group follows the last whole record.</summary>
    internal bool IsCut { get; private set; }

    /// <summary>The bytes from the last whole record up to the last one that is not zero.</summary>
    internal long CutBytes { get; private set; }

    /// <summary>The most records that can have been in these bytes.</summary>
    internal long CutRecords { get; private set; }

    internal static SegmentScan Of(byte[] data, in SegmentHeader header)
    {
        var scan = new SegmentScan(data, header.Salt, header.FirstGroup);
        scan.Run();
        return scan;
    }

    private void Run()
    {
        int position = SegmentHeader.Length;
        while (true)
        {
            if (TryReadGroup(position, out int next))
            {
                position = next;
                NextGroup++;
            }
            else if (TryFindGroup(position + GroupHeader.Alignment, out int found, out ulong number))
            {
                Salvage(position, found);
                position = found;
                NextGroup = number;
            }
            else
            {
                Cut(position);
                break;
            }
        }

        Index.End = End;
        Index.NextGroup = NextGroup;
        Index.Skipped = (uint)CutRecords;
    }

    private bool TryReadGroup(int position, out int next)
    {
        next = position;
        if (!TryReadHeader(position, out GroupHeader header) || header.Number != NextGroup || position + header.TotalLength > _data.Length)
        {
            return false;
        }

        int end = position + GroupHeader.Length + header.RecordsLength;
        uint check = _salt;
        int count = 0;
        int at = position + GroupHeader.Length;
        for (; at < end; count++)
        {
            if (!TryReadRecord(at, end, out RecordHead head))
            {
                return false;
            }

            check = Checksum.Of(check, RecordHead.HeadCheckOf(_data.AsSpan(at)));
            at += head.Size;
        }

        if (count != header.Count || check != header.RecordsCheck)
        {
            return false;
        }

        AddRecords(position + GroupHeader.Length, end);
        next = position + (int)header.TotalLength;
        return true;
    }

    private bool TryReadHeader(int position, out GroupHeader header)
    {
        header = default;
        return position <= _data.Length && GroupHeader.TryRead(_data.AsSpan(position), _salt, out header);
    }

    private bool TryReadRecord(int position, int end, out RecordHead head)
        => TryReadHead(position, end, out head) && head.IsWhole(_data.AsSpan(position), _salt);

    private bool TryReadHead(int position, int end, out RecordHead head)
    {
        head = default;
        return position < end && RecordHead.TryRead(_data.AsSpan(position, end - position), _salt, out head) && head.Size <= end - position;
    }

    private void AddRecords(int position, int end)
    {
        while (TryReadHead(position, end, out RecordHead head))
        {
            Index.Add(position, _data.AsSpan(position, head.Size));
            position += head.Size;
        }
    }

    // A group with a greater number shows that all groups before it were complete.
    private bool TryFindGroup(int from, out int position, out ulong number)
    {
        number = 0;
        for (position = from; position < _data.Length; position += GroupHeader.Alignment)
        {
            int next = _data.AsSpan(position).IndexOf(GroupHeader.Magic);
            if (next < 0)
            {
                return false;
            }

            position += next / GroupHeader.Alignment * GroupHeader.Alignment;
            if (next % GroupHeader.Alignment == 0 && TryReadHeader(position, out GroupHeader header) && header.Number > NextGroup)
            {
                number = header.Number;
                return true;
            }
        }

        return false;
    }

    // Reads what can be read of the groups between two positions. A later group shows that they were complete.
    private void Salvage(int position, int end)
    {
        int at = position + GroupHeader.Length;
        int damage = Damage.Count;
        while (TryReadHead(at, end, out RecordHead head))
        {
            if (head.IsWhole(_data.AsSpan(at), _salt))
            {
                Index.Add(at, _data.AsSpan(at, head.Size));
            }
            else
            {
                Damage.Add(new ScanFinding(head.Stream, head.Kind == RecordKind.Message ? head.Sequence : 0, at));
            }

            at += head.Size;
        }

        if (at < end && (end - at >= GroupHeader.Alignment || _data.AsSpan(at, end - at).ContainsAnyExcept((byte)0)))
        {
            Damage.Add(new ScanFinding(null, 0, at));
        }
        else if (Damage.Count == damage)
        {
            DamagedHeaders.Add(position);
        }
    }

    // Nothing follows that was written later. Whole records at the start of an incomplete group are kept.
    private void Cut(int position)
    {
        bool hasHeader = TryReadHeader(position, out GroupHeader header) && header.Number == NextGroup;
        int at = Math.Min(position + GroupHeader.Length, _data.Length);
        int end = hasHeader ? (int)Math.Min(_data.Length, (long)at + header.RecordsLength) : _data.Length;
        int count = 0;
        for (; TryReadRecord(at, end, out RecordHead head); count++)
        {
            Index.Add(at, _data.AsSpan(at, head.Size));
            at += head.Size;
        }

        End = count > 0 ? at : position;
        CutBytes = End < _data.Length ? _data.AsSpan((int)End).LastIndexOfAnyExcept((byte)0) + 1 : 0;
        IsCut = hasHeader || count > 0 || CutBytes > 0;
        if (IsCut)
        {
            // Without a record of the group, its number is free: the file is cut before the group.
            NextGroup += count > 0 ? 1UL : 0;
            CutRecords = hasHeader ? Math.Max(1, (long)header.Count - count) : (CutBytes / RecordHead.Length) + 1;
        }
    }
}
