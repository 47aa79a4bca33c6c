namespace Broker.Streams;

/// <summary>
/// A segment that takes the place of a damaged one. It begins with the state of all streams, as each segment, and has
/// the whole records of the damaged one.
/// </summary>
internal sealed class SegmentRewrite(ulong number, uint salt)
{
    private readonly GroupBuffer _start = new();

    /// <summary>The records in their order.</summary>
    internal GroupBuffer Records { get; } = new();

    /// <summary>Adds the state of the streams before the first record.</summary>
    internal void Begin(StreamCatalog catalog, long time)
    {
        foreach (StoredStream stream in catalog.Streams)
        {
            _start.Add(stream, time);
        }
    }

    internal void Add(in RecordHead head, ReadOnlySpan<byte> record)
        => Records.Add(head, head.SubjectOf(record), head.HeadersOf(record), head.BodyOf(record));

    /// <summary>
    /// Replaces the segment. The old index goes first, because it does not fit to the new file. A crash at any moment
    /// leaves the old segment or the new one, and each can be read without an index.
    /// </summary>
    /// <param name="files">The directory.</param>
    /// <param name="nextGroup">The number of the first group of the next segment; 0 if it is not known.</param>
    internal void Write(IStoreFiles files, ulong nextGroup)
    {
        var index = new SegmentIndex { End = SegmentHeader.Length + _start.TotalLength + Records.TotalLength, NextGroup = Math.Max(nextGroup, SegmentHeader.Replaced + 1) };
        var header = new SegmentHeader { Number = number, FirstGroup = SegmentHeader.Replaced, Capacity = index.End, Salt = salt };
        string name = StoreFileNames.Segment(number);
        string temporary = name + StoreFileNames.Temporary;
        HashSet<string> names = [.. files.List()];
        if (names.Contains(temporary))
        {
            files.Delete(temporary);
        }

        using (IStoreFile file = files.Create(temporary))
        {
            Span<byte> bytes = stackalloc byte[SegmentHeader.Length];
            header.Write(bytes);
            file.Write(bytes, 0);
            WriteGroup(file, _start, SegmentHeader.Length, header.FirstGroup, index);
            WriteGroup(file, Records, SegmentHeader.Length + _start.TotalLength, header.FirstGroup + 1, index);
            file.Sync();
        }

        string old = StoreFileNames.Index(number);
        if (names.Contains(old))
        {
            files.Delete(old);
            files.SyncDirectory();
        }

        files.Rename(temporary, name);
        files.SyncDirectory();
        files.Replace(old, index.ToArray(header));
    }

    private void WriteGroup(IStoreFile file, GroupBuffer group, long at, ulong groupNumber, SegmentIndex index)
    {
        file.Write(group.Seal(groupNumber, salt), at);
        for (int position = GroupHeader.Length; position < group.Length;)
        {
            long offset = at + position;
            index.Add(offset, group.Next(ref position));
        }
    }
}
