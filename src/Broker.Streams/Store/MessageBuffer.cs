namespace Broker.Streams;

/// <summary>A message that was read. Its memory is used again by the next read into the same buffer.</summary>
internal sealed class MessageBuffer
{
    private byte[] _bytes = [];
    private RecordHead _head;

    internal ulong Sequence => _head.Sequence;

    internal DateTime Time => new(_head.Time, DateTimeKind.Utc);

    /// <summary>All of the message as it is on the disk.</summary>
    internal ReadOnlySpan<byte> Record => _bytes.AsSpan(0, _head.Size);

    internal ReadOnlySpan<byte> Subject => _head.SubjectOf(_bytes);

    internal ReadOnlySpan<byte> Headers => _head.HeadersOf(_bytes);

    internal ReadOnlySpan<byte> Body => _head.BodyOf(_bytes);

    internal bool TryRead(StoredStream stream, in MessageEntry entry)
        => RecordReader.TryRead(entry.Segment!, entry.Offset, entry.Size, ref _bytes, out _head)
            && _head.Stream == stream.Id && _head.Sequence == entry.Sequence && _head.Kind == RecordKind.Message;
}
