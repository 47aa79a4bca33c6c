namespace Broker.Streams;

/// <summary>A file of records. Fields are changed under the store's lock, or while the store opens.</summary>
internal sealed class Segment(SegmentHeader header, IStoreFile file) : IDisposable
{
    internal SegmentHeader Header { get; } = header;

    internal IStoreFile File { get; } = file;

    /// <summary>The file, if it is in memory and releases the memory of deleted messages.</summary>
    internal MemoryFile? Memory { get; init; }

    internal string Name => StoreFileNames.Segment(Header.Number);

    /// <summary>The number of messages that are not deleted.</summary>
    internal int Live { get; private set; }

    /// <summary>The size of the records of these messages.</summary>
    internal long LiveBytes { get; private set; }

    /// <summary>
    /// <see cref="LiveBytes" /> when a compaction of this process wrote the segment or left it as it was; null before.
    /// </summary>
    internal long? LiveBytesWhenCompacted { get; set; }

    /// <summary>A segment with damaged records is kept, even if all that can be read of it is deleted.</summary>
    internal bool IsDamaged { get; set; }

    /// <summary>Counts a message.</summary>
    internal void Add(in MessageEntry entry)
    {
        Live++;
        LiveBytes += entry.Size;
        Memory?.Add(entry.Offset, entry.Size);
    }

    /// <summary>Ends the count of a message that is deleted.</summary>
    internal void Remove(in MessageEntry entry)
    {
        Live--;
        LiveBytes -= entry.Size;
        Memory?.Remove(entry.Offset, entry.Size);
    }

    public void Dispose() => File.Dispose();
}
