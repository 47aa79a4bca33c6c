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
        head = default;
        return segment.File.Read(record, offset) == record.Length && IsWhole(segment, record, out head);
    }

    /// <summary>Checks a record of the length of a span.</summary>
    internal static bool IsWhole(Segment segment, ReadOnlySpan<byte> record, out RecordHead head)
        => RecordHead.TryRead(record, segment.Header.Salt, out head) && head.Size == record.Length && head.IsWhole(record, segment.Header.Salt);
}
