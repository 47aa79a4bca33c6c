using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>
/// The header before the records of one group. A group is written only after the group before it is on the disk. So if
/// a group can be read, all groups before it were complete, and what cannot be read of them is damage.
/// </summary>
internal readonly struct GroupHeader
{
    internal const int Length = 32;
    internal const int Alignment = 8;

    private const int RecordsLengthAt = 4;
    private const int NumberAt = 8;
    private const int CountAt = 16;
    private const int RecordsCheckAt = 20;
    private const int CheckAt = 28;

    internal static ReadOnlySpan<byte> Magic => "GRP1"u8;

    internal required int RecordsLength { get; init; }

    internal required ulong Number { get; init; }

    internal required int Count { get; init; }

    /// <summary>A checksum over the checksums of the records' heads.</summary>
    internal required uint RecordsCheck { get; init; }

    internal long TotalLength => AlignedLength(RecordsLength);

    internal static long AlignedLength(int recordsLength) => (Length + (long)recordsLength + Alignment - 1) / Alignment * Alignment;

    internal void Write(Span<byte> bytes, uint salt)
    {
        bytes[..Length].Clear();
        Magic.CopyTo(bytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[RecordsLengthAt..], RecordsLength);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[NumberAt..], Number);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[CountAt..], Count);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[RecordsCheckAt..], RecordsCheck);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[CheckAt..], Checksum.Of(salt, bytes[..CheckAt]));
    }

    internal static bool TryRead(ReadOnlySpan<byte> bytes, uint salt, out GroupHeader header)
    {
        header = default;
        if (bytes.Length < Length || !bytes.StartsWith(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[CheckAt..]) != Checksum.Of(salt, bytes[..CheckAt]))
        {
            return false;
        }

        header = new GroupHeader
        {
            RecordsLength = BinaryPrimitives.ReadInt32LittleEndian(bytes[RecordsLengthAt..]),
            Number = BinaryPrimitives.ReadUInt64LittleEndian(bytes[NumberAt..]),
            Count = BinaryPrimitives.ReadInt32LittleEndian(bytes[CountAt..]),
            RecordsCheck = BinaryPrimitives.ReadUInt32LittleEndian(bytes[RecordsCheckAt..]),
        };
        return header is { RecordsLength: >= 0, Count: >= 0 };
    }
}
