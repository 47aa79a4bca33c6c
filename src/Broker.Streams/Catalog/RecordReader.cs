namespace Broker.Streams;

internal static class RecordReader
{
    /// <summary>
    /// Reads a record into a buffer, which grows if it is too small. Returns false if the record is damaged.
    /// </summary>
    internal static bool TryRead(Segment segment, long offset, int size, ref byte[] buffer, out RecordHead head)
    {
        if (buffer.Length < size)
        {
            buffer = new byte[Math.Max(size, 2 * buffer.Length)];
        }

        return TryRead(segment, offset, buffer.AsSpan(0, size), out head);
    }

    /// <summary>Reads a record of the length of a span.</summary>
    internal static bool TryRead(Segment segment, long offset, Span<byte> record, out RecordHead head)
    {
        int size = record.Length;
        head = default;
        return segment.File.Read(record, offset) == size
            && RecordHead.TryRead(record, segment.Header.Salt, out head)
            && head.Size == size
            && head.IsWhole(record, segment.Header.Salt);
    }
}
