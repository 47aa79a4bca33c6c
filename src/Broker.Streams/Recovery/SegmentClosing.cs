namespace Broker.Streams;

internal static class SegmentClosing
{
    /// <summary>Writes the index of a segment and then removes the unused rest of its file.</summary>
    internal static void Close(IStoreFiles files, Segment segment, SegmentIndex index)
    {
        if (!files.EndWithProcess)
        {
            files.Replace(StoreFileNames.Index(segment.Header.Number), index.ToArray(segment.Header));
        }

        segment.File.SetLength(index.End);
        segment.File.Sync();
    }
}
