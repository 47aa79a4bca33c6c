namespace Broker.Streams;

/// <summary>A file of records. Fields are changed under the store's lock, or while the store opens.</summary>
internal sealed class Segment(SegmentHeader header, IStoreFile file) : IDisposable
{
    internal SegmentHeader Header { get; } = header;

    internal IStoreFile File { get; } = file;

    internal string Name => StoreFileNames.Segment(Header.Number);

    /// <summary>The number of messages that are not deleted.</summary>
    internal int Live { get; set; }

    /// <summary>A segment with damaged records is kept, even if all that can be read of it is deleted.</summary>
    internal bool IsDamaged { get; set; }

    public void Dispose() => File.Dispose();
}
