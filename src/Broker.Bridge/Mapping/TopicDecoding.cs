namespace Broker.Bridge;

/// <summary>The result of <see cref="TopicCodec.Decode"/>.</summary>
public enum TopicDecoding
{
    /// <summary>The topic was decoded, and encoding it gives the same subject.</summary>
    Exact,

    /// <summary>
    /// The topic was decoded, but encoding it gives another subject: the publisher did not use the codec.
    /// </summary>
    Foreign,

    /// <summary>The subject ends with a hash token, so it does not contain the topic.</summary>
    Hashed,

    /// <summary>The subject does not begin with the prefix.</summary>
    OutsidePrefix,

    /// <summary>The destination is shorter than the subject without its prefix.</summary>
    DestinationTooSmall,
}
