using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>
/// The first 40 bytes of a record. The subject, the headers and the body follow. The head has a checksum of its own, so
/// that damage to a body can be assigned to a stream.
/// </summary>
internal readonly struct RecordHead
{
    internal const int Length = 40;

    // Positions of the fields, little endian.
    private const int BodyCheckAt = 4;
    private const int KindAt = 8;
    private const int FlagsAt = 9;
    private const int SubjectLengthAt = 10;
    private const int HeadersLengthAt = 12;
    private const int StreamAt = 16;
    private const int HeadCheckAt = 20;
    private const int SequenceAt = 24;
    private const int TimeAt = 32;

    internal required int Size { get; init; }

    internal required RecordKind Kind { get; init; }

    internal MessageFlags Flags { get; init; }

    internal required ushort SubjectLength { get; init; }

    internal required int HeadersLength { get; init; }

    internal required uint Stream { get; init; }

    internal required ulong Sequence { get; init; }

    /// <summary>The time of the record, in ticks of UTC.</summary>
    internal required long Time { get; init; }

    internal ReadOnlySpan<byte> SubjectOf(ReadOnlySpan<byte> record) => record.Slice(Length, SubjectLength);

    internal ReadOnlySpan<byte> HeadersOf(ReadOnlySpan<byte> record) => record.Slice(Length + SubjectLength, HeadersLength);

    internal ReadOnlySpan<byte> BodyOf(ReadOnlySpan<byte> record) => record[(Length + SubjectLength + HeadersLength)..Size];

    /// <summary>Writes the head without its checksums.</summary>
    internal void Write(Span<byte> record)
    {
        BinaryPrimitives.WriteInt32LittleEndian(record, Size);
        BinaryPrimitives.WriteUInt32LittleEndian(record[BodyCheckAt..], 0);
        record[KindAt] = (byte)Kind;
        record[FlagsAt] = (byte)Flags;
        BinaryPrimitives.WriteUInt16LittleEndian(record[SubjectLengthAt..], SubjectLength);
        BinaryPrimitives.WriteInt32LittleEndian(record[HeadersLengthAt..], HeadersLength);
        BinaryPrimitives.WriteUInt32LittleEndian(record[StreamAt..], Stream);
        BinaryPrimitives.WriteUInt32LittleEndian(record[HeadCheckAt..], 0);
        BinaryPrimitives.WriteUInt64LittleEndian(record[SequenceAt..], Sequence);
        BinaryPrimitives.WriteInt64LittleEndian(record[TimeAt..], Time);
    }

    /// <summary>Writes the checksums of a record and returns that of the head, which covers that of the rest.</summary>
    internal static uint Seal(Span<byte> record, uint salt)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(record[BodyCheckAt..], Checksum.Of(salt, record[Length..]));
        uint check = CheckOf(record, salt);
        BinaryPrimitives.WriteUInt32LittleEndian(record[HeadCheckAt..], check);
        return check;
    }

    /// <summary>Reads a head without its checksum; for records that this process has written.</summary>
    internal static RecordHead Read(ReadOnlySpan<byte> record) => new()
    {
        Size = BinaryPrimitives.ReadInt32LittleEndian(record),
        Kind = (RecordKind)record[KindAt],
        Flags = (MessageFlags)record[FlagsAt],
        SubjectLength = BinaryPrimitives.ReadUInt16LittleEndian(record[SubjectLengthAt..]),
        HeadersLength = BinaryPrimitives.ReadInt32LittleEndian(record[HeadersLengthAt..]),
        Stream = BinaryPrimitives.ReadUInt32LittleEndian(record[StreamAt..]),
        Sequence = BinaryPrimitives.ReadUInt64LittleEndian(record[SequenceAt..]),
        Time = BinaryPrimitives.ReadInt64LittleEndian(record[TimeAt..]),
    };

    /// <summary>Reads the head of a record if its checksum is right and its lengths are possible.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> bytes, uint salt, out RecordHead head)
    {
        head = default;
        if (bytes.Length < Length || CheckOf(bytes, salt) != HeadCheckOf(bytes))
        {
            return false;
        }

        head = Read(bytes);
        return head.HeadersLength >= 0 && (long)Length + head.SubjectLength + head.HeadersLength <= head.Size;
    }

    /// <summary>
    /// Whether the fields of a head have values that a record can have, before its checksum is compared.
    /// </summary>
    internal static bool IsPossible(ReadOnlySpan<byte> bytes)
    {
        RecordHead head = Read(bytes);
        return head.Size <= bytes.Length && head.Kind is > RecordKind.None and <= RecordKind.Last && head.HeadersLength >= 0
            && (long)Length + head.SubjectLength + head.HeadersLength <= head.Size;
    }

    /// <summary>Returns the salt with which the checksum of a head is right.</summary>
    internal static uint SeedOf(ReadOnlySpan<byte> record)
        => Checksum.SeedOf(Checksum.SeedOf(HeadCheckOf(record), record[SequenceAt..Length]), record[..HeadCheckAt]);

    internal static uint HeadCheckOf(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt32LittleEndian(record[HeadCheckAt..]);

    /// <summary>Compares the checksum of what follows the head. The record must be complete.</summary>
    internal bool IsWhole(ReadOnlySpan<byte> record, uint salt)
        => Checksum.Of(salt, record[Length..Size]) == BinaryPrimitives.ReadUInt32LittleEndian(record[BodyCheckAt..]);

    private static uint CheckOf(ReadOnlySpan<byte> record, uint salt)
        => Checksum.Of(Checksum.Of(salt, record[..HeadCheckAt]), record[SequenceAt..Length]);
}
