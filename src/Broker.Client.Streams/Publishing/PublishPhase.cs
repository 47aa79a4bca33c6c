namespace Broker.Client.Streams;

/// <summary>The progress of a published message.</summary>
internal enum PublishPhase
{
    /// <summary>It has an outcome.</summary>
    Ended,

    /// <summary>It waits until fewer messages are in flight.</summary>
    Waiting,

    /// <summary>It was sent and waits for its acknowledgement.</summary>
    Sent,

    /// <summary>It waits to be sent again.</summary>
    Retrying,
}
