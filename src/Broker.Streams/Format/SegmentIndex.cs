using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>
/// The index of a closed segment: for each record its offset, its head, and the subject of a message. With it, a start
/// need not read the bodies of old messages, and damage to a record can be assigned to a sequence.
/// </summary>
internal sealed class SegmentIndex
{
    private const int HeaderLength = 52;
    private const uint Version = 1;
    private const int VersionAt = 4;
    private const int NumberAt = 8;
    private const int EndAt = 16;
    private const int NextGroupAt = 24;
    private const int SaltAt = 32;
    private const int EntriesLengthAt = 36;
    private const int CountAt = 40;
    private const int SkippedAt = 44;
    private const int CheckAt = 48;

    private readonly ByteWriter _entries = new();

    internal int Count { get; private set; }

    /// <summary>The offset behind the last record, set when the segment is closed.</summary>
    internal long End { get; set; }

    /// <summary>The number of the group after the last one.</summary>
    internal ulong NextGroup { get; set; }

    /// <summary>
    /// The sequences that can have been in bytes that were cut from the end. They are not used again.
    /// </summary>
    internal uint Skipped { get; set; }

    private static ReadOnlySpan<byte> Magic => "BIDX"u8;

    internal void Clear()
    {
        _entries.Clear();
        Count = 0;
    }

    internal void Add(long offset, ReadOnlySpan<byte> record)
    {
        var head = RecordHead.Read(record);
        int subject = head.Kind == RecordKind.Message ? head.SubjectLength : 0;
        Span<byte> entry = _entries.Append(sizeof(uint) + RecordHead.Length + subject);
        BinaryPrimitives.WriteUInt32LittleEndian(entry, checked((uint)offset));
        record[..(RecordHead.Length + subject)].CopyTo(entry[sizeof(uint)..]);
        Count++;
    }

    /// <summary>Reads the entry at a position and moves the position to the next one.</summary>
    internal IndexEntry Next(ref int position)
    {
        ReadOnlySpan<byte> entry = _entries.Written[position..];
        var head = RecordHead.Read(entry[sizeof(uint)..]);
        int subject = head.Kind == RecordKind.Message ? head.SubjectLength : 0;
        position += sizeof(uint) + RecordHead.Length + subject;
        return new IndexEntry(BinaryPrimitives.ReadUInt32LittleEndian(entry), head, entry.Slice(sizeof(uint) + RecordHead.Length, subject));
    }

    internal byte[] ToArray(in SegmentHeader segment)
    {
        byte[] file = new byte[HeaderLength + _entries.Length];
        Magic.CopyTo(file);
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(VersionAt), Version);
        BinaryPrimitives.WriteUInt64LittleEndian(file.AsSpan(NumberAt), segment.Number);
        BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(EndAt), End);
        BinaryPrimitives.WriteUInt64LittleEndian(file.AsSpan(NextGroupAt), NextGroup);
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(SaltAt), segment.Salt);
        BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(EntriesLengthAt), _entries.Length);
        BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(CountAt), Count);
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(SkippedAt), Skipped);
        _entries.Written.CopyTo(file.AsSpan(HeaderLength));
        BinaryPrimitives.WriteUInt32LittleEndian(file.AsSpan(CheckAt), CheckOf(file));
        return file;
    }

    /// <summary>Reads the index of a segment. The number is that of the segment's file name.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> file, ulong number, out SegmentIndex index, out uint salt)
    {
        index = new SegmentIndex();
        salt = 0;
        if (file.Length < HeaderLength || !file.StartsWith(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(file[VersionAt..]) != Version
            || BinaryPrimitives.ReadInt32LittleEndian(file[EntriesLengthAt..]) != file.Length - HeaderLength
            || BinaryPrimitives.ReadUInt64LittleEndian(file[NumberAt..]) != number
            || BinaryPrimitives.ReadUInt32LittleEndian(file[CheckAt..]) != CheckOf(file))
        {
            return false;
        }

        salt = BinaryPrimitives.ReadUInt32LittleEndian(file[SaltAt..]);
        index.End = BinaryPrimitives.ReadInt64LittleEndian(file[EndAt..]);
        index.NextGroup = BinaryPrimitives.ReadUInt64LittleEndian(file[NextGroupAt..]);
        index.Count = BinaryPrimitives.ReadInt32LittleEndian(file[CountAt..]);
        index.Skipped = BinaryPrimitives.ReadUInt32LittleEndian(file[SkippedAt..]);
        file[HeaderLength..].CopyTo(index._entries.Append(file.Length - HeaderLength));
        return true;
    }

    private static uint CheckOf(ReadOnlySpan<byte> file) => Checksum.Of(Checksum.Of(0, file[..CheckAt]), file[HeaderLength..]);
}
