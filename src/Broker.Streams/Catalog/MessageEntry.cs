namespace Broker.Streams;

/// <summary>The place of a message on the disk. The segment is null when the message is deleted.</summary>
internal struct MessageEntry
{
    internal required ulong Sequence { get; init; }

    internal required long Time { get; init; }

    internal required uint Offset { get; init; }

    internal required int Size { get; init; }

    internal required Segment? Segment { get; set; }

    internal required SubjectState Subject { get; init; }

    /// <summary>The sequence that followed in the same subject, which may be deleted; 0 if none has followed.</summary>
    internal ulong NextOfSubject { get; set; }

    internal readonly bool IsDeleted => Segment is null;
}
