using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>
/// The start of a segment's file: two equal copies, so that a damaged byte does not hide the records.
/// </summary>
internal readonly struct SegmentHeader
{
    internal const int Length = 2 * CopyLength;
    internal const uint Version = 1;

    /// <summary>The version of a segment that a compaction has written. An older program must not read it.</summary>
    internal const uint CompactedVersion = 2;

    /// <summary>The number of the first group of a segment that a repair or a compaction has written.</summary>
    internal const ulong Replaced = 0;

    private const int CopyLength = 40;
    private const int VersionAt = 4;
    private const int NumberAt = 8;
    private const int FirstGroupAt = 16;
    private const int CapacityAt = 24;
    private const int SaltAt = 32;
    private const int CheckAt = 36;

    internal required ulong Number { get; init; }

    /// <summary>
    /// The number of the first group in this segment; <see cref="Replaced" /> if a repair or a compaction has written
    /// it.
    /// </summary>
    internal required ulong FirstGroup { get; init; }

    /// <summary>
    /// Whether a repair or a compaction has written the segment. Its groups have numbers of their own, and its capacity
    /// is its length.
    /// </summary>
    internal bool IsReplaced => FirstGroup == Replaced;

    /// <summary>
    /// Whether a compaction has written the segment. After a crash, the index of the segment that it has replaced can
    /// lie beside it, which has another salt.
    /// </summary>
    internal bool IsCompacted { get; init; }

    /// <summary>The length of the file while records are appended.</summary>
    internal required long Capacity { get; init; }

    internal required uint Salt { get; init; }

    private static ReadOnlySpan<byte> Magic => "BSEG"u8;

    internal void Write(Span<byte> bytes)
    {
        Span<byte> copy = bytes[..CopyLength];
        Magic.CopyTo(copy);
        BinaryPrimitives.WriteUInt32LittleEndian(copy[VersionAt..], IsCompacted ? CompactedVersion : Version);
        BinaryPrimitives.WriteUInt64LittleEndian(copy[NumberAt..], Number);
        BinaryPrimitives.WriteUInt64LittleEndian(copy[FirstGroupAt..], FirstGroup);
        BinaryPrimitives.WriteInt64LittleEndian(copy[CapacityAt..], Capacity);
        BinaryPrimitives.WriteUInt32LittleEndian(copy[SaltAt..], Salt);
        BinaryPrimitives.WriteUInt32LittleEndian(copy[CheckAt..], Checksum.Of(0, copy[..CheckAt]));
        copy.CopyTo(bytes[CopyLength..]);
    }

    /// <summary>Reads the first whole copy.</summary>
    /// <param name="bytes">The start of the file.</param>
    /// <param name="header">The header.</param>
    /// <param name="damagedAt">The offset of a damaged copy, or -1.</param>
    internal static bool TryRead(ReadOnlySpan<byte> bytes, out SegmentHeader header, out int damagedAt)
    {
        header = default;
        damagedAt = -1;
        bool found = false;
        for (int at = 0; at < Length; at += CopyLength)
        {
            if (bytes.Length >= at + CopyLength && IsWhole(bytes.Slice(at, CopyLength)))
            {
                header = Read(bytes.Slice(at, CopyLength));
                found = true;
            }
            else
            {
                damagedAt = at;
            }
        }

        return found;
    }

    private static bool IsWhole(ReadOnlySpan<byte> copy)
        => copy.StartsWith(Magic) && BinaryPrimitives.ReadUInt32LittleEndian(copy[CheckAt..]) == Checksum.Of(0, copy[..CheckAt]);

    private static SegmentHeader Read(ReadOnlySpan<byte> copy)
    {
        uint version = BinaryPrimitives.ReadUInt32LittleEndian(copy[VersionAt..]);
        if (version is not (Version or CompactedVersion))
        {
            throw new StoreException($"A segment has format version {version}. This program reads versions {Version} and {CompactedVersion}.");
        }

        return new SegmentHeader
        {
            Number = BinaryPrimitives.ReadUInt64LittleEndian(copy[NumberAt..]),
            FirstGroup = BinaryPrimitives.ReadUInt64LittleEndian(copy[FirstGroupAt..]),
            Capacity = BinaryPrimitives.ReadInt64LittleEndian(copy[CapacityAt..]),
            Salt = BinaryPrimitives.ReadUInt32LittleEndian(copy[SaltAt..]),
            IsCompacted = version == CompactedVersion,
        };
    }
}
