using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>
/// The file that an orderly close leaves: where the last segment ends. While it exists, missing records at the end are
/// damage and not an unfinished write. It is deleted before the next write.
/// </summary>
internal readonly record struct CloseMark(ulong Segment, long End, ulong NextGroup)
{
    internal const string FileName = "closed";
    internal const int Length = 32;

    private const int EndAt = 12;
    private const int NextGroupAt = 20;
    private const int CheckAt = 28;

    private static ReadOnlySpan<byte> Magic => "BEND"u8;

    internal void Write(Span<byte> bytes)
    {
        Magic.CopyTo(bytes);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[4..], Segment);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[EndAt..], End);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[NextGroupAt..], NextGroup);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[CheckAt..], Checksum.Of(0, bytes[..CheckAt]));
    }

    internal static bool TryRead(ReadOnlySpan<byte> bytes, out CloseMark mark)
    {
        mark = default;
        if (bytes.Length != Length || !bytes.StartsWith(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[CheckAt..]) != Checksum.Of(0, bytes[..CheckAt]))
        {
            return false;
        }

        mark = new CloseMark(
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[4..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[EndAt..]),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[NextGroupAt..]));
        return true;
    }
}
