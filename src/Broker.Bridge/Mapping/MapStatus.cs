namespace Broker.Bridge;

/// <summary>The result of mapping a message: success, or why the message was refused.</summary>
public enum MapStatus
{
    /// <summary>The message was mapped.</summary>
    Mapped,

    /// <summary>
    /// This bridge published the message itself, and <see cref="MappingOptions.Echo"/> is off: the message must be
    /// dropped.
    /// </summary>
    OwnOrigin,

    /// <summary>The ZeroMQ message has no frame.</summary>
    NoFrames,

    /// <summary>The frames of the message, or the frame lengths in a payload, are inconsistent.</summary>
    MalformedFrames,

    /// <summary>The message has more frames than <see cref="MappingOptions.MaxFrames"/>.</summary>
    TooManyFrames,

    /// <summary>The topic is longer than <see cref="MappingOptions.MaxTopicBytes"/>.</summary>
    TopicTooLong,

    /// <summary>Headers and payload together are longer than <see cref="MappingOptions.MaxPayload"/>.</summary>
    TooLarge,

    /// <summary>
    /// The header block is malformed, repeats one of the bridge's headers or contains an invalid value.
    /// </summary>
    MalformedHeaders,

    /// <summary>The subject does not begin with the prefix.</summary>
    OutsidePrefix,

    /// <summary>
    /// The codec would not write this subject, and <see cref="MappingOptions.RefuseForeignSubjects"/> is on.
    /// </summary>
    ForeignSubject,

    /// <summary>The subject contains only a hash of the topic, and no header contains the topic.</summary>
    TopicMissing,

    /// <summary>The topic in the headers or in the single frame does not belong to the subject.</summary>
    TopicMismatch,

    /// <summary>
    /// The caller's scratch memory is too short. <see cref="MessageMapper"/> has methods that return the required size.
    /// </summary>
    ScratchTooSmall,
}
