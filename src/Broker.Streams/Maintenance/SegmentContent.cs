namespace Broker.Streams;

/// <summary>
/// Finds every whole record of a segment, also behind damage, where a start of a store does not look for records.
/// </summary>
internal sealed class SegmentContent
{
    private readonly byte[] _data;
    private readonly uint _salt;
    private readonly List<SegmentItem> _items = [];
    private int _at = SegmentHeader.Length;
    private int _lostFrom = -1;
    private GroupHeader? _group;
    private int _groupAt = -1;
    private long _groupEnd;
    private int _groupItems;

    private SegmentContent(byte[] data, uint salt)
    {
        _data = data;
        _salt = salt;
    }

    internal IReadOnlyList<SegmentItem> Items => _items;

    /// <summary>The offset behind the last whole record or group.</summary>
    internal long End { get; private set; } = SegmentHeader.Length;

    /// <summary>The number of the group after the last one that was found; 0 if none was found.</summary>
    internal ulong NextGroup { get; private set; }

    /// <summary>Whether the unused bytes behind the last group are missing. A start of a store wants them.</summary>
    internal bool EndsInPadding { get; private set; }

    internal static SegmentContent Of(byte[] data, uint salt)
    {
        var content = new SegmentContent(data, salt);
        content.Run();
        return content;
    }

    private void Run()
    {
        while (_at < _data.Length)
        {
            if (_group is not null && _at >= _groupEnd)
            {
                EndGroup();
            }
            else if (TryReadGroup(out GroupHeader header))
            {
                BeginGroup(header);
            }
            else if (TryReadRecord(out RecordHead head, out bool isWhole))
            {
                EndLoss(_at);
                Add(isWhole ? SegmentItemKind.Record : SegmentItemKind.DamagedRecord, _at, head.Size, isWhole ? 0 : 1);
                _at += head.Size;
                End = isWhole ? _at : End;
            }
            else if (!TrySkip())
            {
                break;
            }
        }

        if (_group is not null)
        {
            EndGroup();
        }

        EndLoss(Math.Min(_at, _data.Length));
        for (int i = 0; i < _items.Count; i++)
        {
            _items[i] = _items[i] with { IsInLastGroup = _items[i].Offset > _groupAt };
        }
    }

    // The body of a lost message can be a copy of an earlier part of this file, whose groups have smaller numbers.
    private bool TryReadGroup(out GroupHeader header)
    {
        header = default;
        return _group is null && _at % GroupHeader.Alignment == 0 && GroupHeader.TryRead(_data.AsSpan(_at), _salt, out header) && header.Number >= NextGroup;
    }

    private void BeginGroup(in GroupHeader header)
    {
        EndLoss(_at);
        _group = header;
        _groupAt = _at;
        _groupItems = _items.Count;
        _at += GroupHeader.Length;
        _groupEnd = (long)_at + header.RecordsLength;
        NextGroup = header.Number + 1;
        End = Math.Max(End, _at);
    }

    // A group says how many records it had, so that the lost ones can be counted.
    private void EndGroup()
    {
        if (_lostFrom >= 0 || _at < _groupEnd)
        {
            _lostFrom = _lostFrom < 0 ? _at : _lostFrom;
            EndLoss(_groupEnd);
        }

        long missing = _group!.Value.Count - _items.Skip(_groupItems).Count(static item => item.Kind is SegmentItemKind.Record or SegmentItemKind.DamagedRecord);
        for (int i = _groupItems; i < _items.Count; i++)
        {
            if (_items[i].Kind is SegmentItemKind.Lost or SegmentItemKind.LostFrame)
            {
                long most = Math.Min(missing, SegmentItem.MostRecords(_items[i].Length));
                _items[i] = _items[i] with { Records = most, Kind = most > 0 ? SegmentItemKind.Lost : SegmentItemKind.LostFrame };
            }
        }

        _group = null;
        long end = _groupAt + GroupHeader.AlignedLength((int)(_groupEnd - _groupAt - GroupHeader.Length));
        if (_at >= _groupEnd)
        {
            End = Math.Max(End, Math.Min(end, _data.Length));
        }

        EndsInPadding = end > _data.Length;
        _at = (int)Math.Min(end, _data.Length);
    }

    private bool TryReadRecord(out RecordHead head, out bool isWhole)
    {
        isWhole = false;
        long end = _group is null ? _data.Length : Math.Min(_groupEnd, _data.Length);
        if (!RecordHead.TryRead(_data.AsSpan(_at, (int)(end - _at)), _salt, out head) || head.Size > end - _at)
        {
            return false;
        }

        // Within lost bytes, only a whole record is one: the checksum of a head alone can be right by chance.
        isWhole = head.IsWhole(_data.AsSpan(_at), _salt);
        return isWhole || _lostFrom < 0;
    }

    // Moves on by a byte, or over zeros. Returns false if nothing follows.
    private bool TrySkip()
    {
        int zeros = _data.AsSpan(_at).IndexOfAnyExcept((byte)0);
        if (zeros < 0)
        {
            return _group is not null && TrySkipTo(Math.Min(_groupEnd, _data.Length));
        }

        int next = _at + Math.Max(1, zeros - sizeof(int) + 1);
        return TrySkipTo(_group is null ? next : Math.Min(next, _groupEnd));
    }

    private bool TrySkipTo(long next)
    {
        _lostFrom = _lostFrom < 0 ? _at : _lostFrom;
        _at = (int)next;
        return true;
    }

    private void EndLoss(long end)
    {
        if (_lostFrom >= 0)
        {
            long most = SegmentItem.MostRecords(end - _lostFrom);
            Add(most > 0 ? SegmentItemKind.Lost : SegmentItemKind.LostFrame, _lostFrom, end - _lostFrom, most);
            _lostFrom = -1;
        }
    }

    private void Add(SegmentItemKind kind, long offset, long length, long records) => _items.Add(new SegmentItem(kind, offset, length, records, IsInLastGroup: false));
}
