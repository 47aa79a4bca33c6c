namespace Broker.Streams;

/// <summary>
/// A segment that takes the place of another one, because that is damaged or because most of its messages are deleted.
/// </summary>
internal sealed class SegmentRewrite(ulong number, uint salt)
{
    /// <summary>The records that come first: the state of the streams, and deletions.</summary>
    internal GroupBuffer Start { get; } = new();

    /// <summary>All other records in their order.</summary>
    internal GroupBuffer Records { get; } = new();

    /// <summary>The bytes of both.</summary>
    internal long Length => Start.TotalLength + Records.TotalLength;

    private string Temporary => StoreFileNames.Segment(number) + StoreFileNames.Temporary;

    /// <summary>Adds the state of the streams before the first record.</summary>
    internal void Begin(StreamCatalog catalog, long time)
    {
        foreach (StoredStream stream in catalog.Streams)
        {
            Start.Add(stream, time);
        }
    }

    internal void Add(in RecordHead head, ReadOnlySpan<byte> record) => Add(Records, head, record);

    internal void AddToStart(in RecordHead head, ReadOnlySpan<byte> record) => Add(Start, head, record);

    /// <summary>
    /// Replaces a damaged segment. The old index goes first, because it does not fit to the new file. A crash at any
    /// moment leaves the old segment or the new one, and each can be read without an index.
    /// </summary>
    /// <param name="files">The directory.</param>
    /// <param name="nextGroup">The number of the first group of the next segment; 0 if it is not known.</param>
    internal void Write(IStoreFiles files, ulong nextGroup)
    {
        (SegmentHeader header, SegmentIndex index) = WriteTemporary(files, nextGroup, isCompacted: false);
        string old = StoreFileNames.Index(number);
        if (files.List().Contains(old, StringComparer.Ordinal))
        {
            files.Delete(old);
            files.SyncDirectory();
        }

        files.Rename(Temporary, StoreFileNames.Segment(number));
        files.SyncDirectory();
        files.Replace(old, index.ToArray(header));
    }

    /// <summary>
    /// Replaces a whole segment. A start may need its old index until it is replaced, for example to know where an
    /// unfinished write was cut. So the old index stays until the new one takes its place. A crash in between leaves
    /// the new segment with the old index, which has another salt and is not used.
    /// </summary>
    /// <param name="files">The directory.</param>
    /// <param name="nextGroup">The number of the first group of the next segment.</param>
    /// <returns>The header and the index of the new segment.</returns>
    internal (SegmentHeader Header, SegmentIndex Index) Compact(IStoreFiles files, ulong nextGroup)
    {
        (SegmentHeader header, SegmentIndex index) = WriteTemporary(files, nextGroup, isCompacted: true);
        files.Rename(Temporary, StoreFileNames.Segment(number));
        files.SyncDirectory();
        files.Replace(StoreFileNames.Index(number), index.ToArray(header));
        return (header, index);
    }

    private (SegmentHeader Header, SegmentIndex Index) WriteTemporary(IStoreFiles files, ulong nextGroup, bool isCompacted)
    {
        var index = new SegmentIndex { End = SegmentHeader.Length + Length, NextGroup = Math.Max(nextGroup, SegmentHeader.Replaced + 1) };
        var header = new SegmentHeader { Number = number, FirstGroup = SegmentHeader.Replaced, Capacity = index.End, Salt = salt, IsCompacted = isCompacted };
        if (files.List().Contains(Temporary, StringComparer.Ordinal))
        {
            files.Delete(Temporary);
        }

        using IStoreFile file = files.Create(Temporary);
        Span<byte> bytes = stackalloc byte[SegmentHeader.Length];
        header.Write(bytes);
        file.Write(bytes, 0);
        WriteGroup(file, Start, SegmentHeader.Length, header.FirstGroup, index);
        WriteGroup(file, Records, SegmentHeader.Length + Start.TotalLength, header.FirstGroup + 1, index);
        file.Sync();
        return (header, index);
    }

    private static void Add(GroupBuffer group, in RecordHead head, ReadOnlySpan<byte> record)
        => group.Add(head, head.SubjectOf(record), head.HeadersOf(record), head.BodyOf(record));

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
