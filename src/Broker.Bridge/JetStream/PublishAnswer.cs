namespace Broker.Bridge.JetStream;

/// <summary>What the stream says about a message that was published to it.</summary>
internal enum PublishAnswer
{
    /// <summary>It has it.</summary>
    Stored,

    /// <summary>It had it already.</summary>
    Duplicate,

    /// <summary>It does not take it now.</summary>
    Refused,

    /// <summary>It will not take it at any time.</summary>
    NeverStored,

    /// <summary>There is no such stream for the subject.</summary>
    NoStream,
}
