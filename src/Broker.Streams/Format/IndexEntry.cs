namespace Broker.Streams;

/// <summary>A record in an index. The subject is empty unless the record is a message.</summary>
internal readonly ref struct IndexEntry(long offset, RecordHead head, ReadOnlySpan<byte> subject)
{
    internal long Offset { get; } = offset;

    internal RecordHead Head { get; } = head;

    internal ReadOnlySpan<byte> Subject { get; } = subject;
}
