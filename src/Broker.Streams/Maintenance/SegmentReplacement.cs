namespace Broker.Streams;

/// <summary>Replaces damaged segments.</summary>
internal sealed class SegmentReplacement(IStoreFiles files, Func<uint> salt)
{
    internal SegmentRewrite Begin(CheckedSegment segment, StreamCatalog catalog, long time)
    {
        var output = new SegmentRewrite(segment.Header.Number, salt());
        output.Begin(catalog, time);
        return output;
    }

    internal void Write(CheckedSegment segment, SegmentRewrite output) => output.Write(files, segment.NextGroup);
}
