using System.Text;

namespace Broker.Streams;

/// <summary>The state of all streams at the start of a segment.</summary>
internal sealed class SegmentStart
{
    /// <summary>The number of the first group, or 0 if the header is damaged.</summary>
    internal ulong FirstGroup { get; private init; }

    /// <summary>Whether all records of the start can be read.</summary>
    internal bool IsWhole { get; private set; }

    /// <summary>The records of the streams by the streams' numbers.</summary>
    internal Dictionary<uint, byte[]> Streams { get; } = [];

    internal HashSet<(uint Stream, string Consumer)> Consumers { get; } = [];

    internal static SegmentStart Read(IStoreFiles files, ulong number)
    {
        using IStoreFile file = files.Open(StoreFileNames.Segment(number));
        Span<byte> bytes = stackalloc byte[SegmentHeader.Length + GroupHeader.Length];
        bytes = bytes[..file.Read(bytes, 0)];
        if (!SegmentHeader.TryRead(bytes, out SegmentHeader header, out _))
        {
            return new SegmentStart();
        }

        var start = new SegmentStart { FirstGroup = header.FirstGroup };
        if (bytes.Length == SegmentHeader.Length + GroupHeader.Length
            && GroupHeader.TryRead(bytes[SegmentHeader.Length..], header.Salt, out GroupHeader group)
            && group.Number == header.FirstGroup && group.RecordsLength <= file.Length - bytes.Length)
        {
            byte[] records = new byte[group.RecordsLength];
            start.IsWhole = file.Read(records, bytes.Length) == records.Length && start.TryAdd(records, group.Count, header.Salt);
        }

        return start;
    }

    private bool TryAdd(byte[] records, int count, uint salt)
    {
        int at = 0;
        for (; count > 0; count--)
        {
            ReadOnlySpan<byte> rest = records.AsSpan(at);
            if (!RecordHead.TryRead(rest, salt, out RecordHead head) || head.Size > rest.Length || !head.IsWhole(rest, salt))
            {
                return false;
            }

            if (head.Kind == RecordKind.Stream)
            {
                Streams[head.Stream] = rest[..head.Size].ToArray();
            }
            else if (head.Kind == RecordKind.Consumer)
            {
                Consumers.Add((head.Stream, Encoding.UTF8.GetString(head.SubjectOf(rest))));
            }

            at += head.Size;
        }

        return at == records.Length;
    }
}
