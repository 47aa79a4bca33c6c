namespace Broker.Bridge;

/// <summary>The answer of a stream to a message that was published to it.</summary>
internal enum PubAckStatus
{
    /// <summary>The stream has stored the message.</summary>
    Stored,

    /// <summary>The stream had stored this message before.</summary>
    Duplicate,

    /// <summary>The stream cannot store the message now.</summary>
    Refused,

    /// <summary>The stream can never store the message.</summary>
    NeverStored,

    /// <summary>No stream has the subject.</summary>
    NoStream,
}
