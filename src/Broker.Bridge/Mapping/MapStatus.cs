namespace Broker.Bridge.Mapping;

/// <summary>Whether a message was mapped and, if not, why.</summary>
public enum MapStatus
{
    /// <summary>Mapped.</summary>
    Mapped,

    /// <summary>Brought from ZeroMQ by this very bridge, with <see cref="MappingOptions.Echo"/> off: to be dropped.</summary>
    OwnOrigin,

    /// <summary>The ZeroMQ message has no frame.</summary>
    NoFrames,

    /// <summary>The frames, or the length framing of a payload, do not add up.</summary>
    MalformedFrames,

    /// <summary>More frames than <see cref="MappingOptions.MaxFrames"/>.</summary>
    TooManyFrames,

    /// <summary>A topic longer than <see cref="MappingOptions.MaxTopicBytes"/>.</summary>
    TopicTooLong,

    /// <summary>Headers and payload longer than <see cref="MappingOptions.MaxPayload"/>.</summary>
    TooLarge,

    /// <summary>The header block is malformed, repeats one of the bridge's headers or gives one a bad value.</summary>
    MalformedHeaders,

    /// <summary>The subject is not under the prefix.</summary>
    OutsidePrefix,

    /// <summary>The subject is no encoding, with <see cref="MappingOptions.RefuseForeignSubjects"/> on.</summary>
    ForeignSubject,

    /// <summary>The subject is hashed and no header carries its topic.</summary>
    TopicMissing,

    /// <summary>The topic in the headers or in the single frame is not that of the subject.</summary>
    TopicMismatch,

    /// <summary>The caller's scratch memory is too short; see the bounds of <see cref="MessageMapper"/>.</summary>
    ScratchTooSmall,
}
