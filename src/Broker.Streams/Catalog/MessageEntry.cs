namespace Broker.Streams;

/// <summary>The place of a message on the disk. The segment is null when the message is deleted.</summary>
internal struct MessageEntry
{
    // A segment is shorter than the length that this bit would stand for.
    private const uint HeadersBit = 1U << 31;

    private readonly uint _place;

    internal required ulong Sequence { get; init; }

    internal required long Time { get; init; }

    internal required uint Offset
    {
        readonly get => _place & ~HeadersBit;
        init => _place = (_place & HeadersBit) | value;
    }

    /// <summary>Whether the message has headers, so that those without need not be read for them.</summary>
    internal bool HasHeaders
    {
        readonly get => (_place & HeadersBit) != 0;
        init => _place = value ? _place | HeadersBit : Offset;
    }

    internal required int Size { get; init; }

    internal required Segment? Segment { get; set; }

    internal required SubjectState Subject { get; init; }

    /// <summary>The sequence that followed in the same subject, which may be deleted; 0 if none has followed.</summary>
    internal ulong NextOfSubject { get; set; }

    internal readonly bool IsDeleted => Segment is null;
}
