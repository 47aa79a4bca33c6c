namespace Broker.Bridge.Mapping;

/// <summary>What <see cref="TopicCodec.Decode"/> found.</summary>
public enum TopicDecoding
{
    /// <summary>The topic, of which the subject is the encoding.</summary>
    Exact,

    /// <summary>A topic, but its encoding is another subject: the publisher did not encode.</summary>
    Foreign,

    /// <summary>The subject ends in a hash token; its topic cannot be found in it.</summary>
    Hashed,

    /// <summary>The subject is not under the prefix.</summary>
    OutsidePrefix,

    /// <summary>The destination is shorter than the subject without its prefix.</summary>
    DestinationTooSmall,
}
