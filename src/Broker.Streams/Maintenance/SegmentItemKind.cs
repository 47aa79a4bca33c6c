namespace Broker.Streams;

/// <summary>The content of a place in a segment.</summary>
internal enum SegmentItemKind
{
    /// <summary>A whole record.</summary>
    Record,

    /// <summary>A record whose head is whole and whose rest is damaged.</summary>
    DamagedRecord,

    /// <summary>Bytes that cannot be read, with records in them.</summary>
    Lost,

    /// <summary>Bytes that cannot be read, without records: the header of a group.</summary>
    LostFrame,
}
