namespace Broker.Streams;

internal enum RecordKind : byte
{
    None,

    /// <summary>A message of a stream.</summary>
    Message,

    /// <summary>
    /// The name, limits, configuration, first and last sequence of a stream. It is written when a stream is created or
    /// changed, and for all streams at the start of each segment.
    /// </summary>
    Stream,

    /// <summary>The stream was deleted with all its messages.</summary>
    StreamDeleted,

    /// <summary>The message with this sequence was deleted.</summary>
    MessageDeleted,

    /// <summary>All messages before this sequence were deleted.</summary>
    Purged,

    /// <summary>
    /// Damage to the stream was found. The head has the sequence of the damaged message and, as its time, the offset;
    /// the body is the number of the segment.
    /// </summary>
    StreamDamaged,

    /// <summary>
    /// The messages before this sequence whose subject matches the filter were deleted, except the last ones. The
    /// subject is the filter; the body is the number of messages that are kept.
    /// </summary>
    SubjectsPurged,

    /// <summary>
    /// The configuration and the progress of a consumer. The subject is its name, the headers are its configuration and
    /// the body is its progress. It is written when a consumer is created or changed, and at the start of each segment.
    /// </summary>
    Consumer,

    /// <summary>The deliveries and acknowledgements of a consumer. The subject is its name.</summary>
    ConsumerChanged,

    /// <summary>A consumer was deleted. The subject is its name.</summary>
    ConsumerDeleted,

    /// <summary>A repair has removed the damage of the stream.</summary>
    StreamRepaired,

    /// <summary>The greatest kind.</summary>
    Last = StreamRepaired,
}
