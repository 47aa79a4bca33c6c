namespace Broker.Client.Streams;

/// <summary>The first message that a consumer delivers.</summary>
public enum DeliverPolicy
{
    /// <summary>The first message of the stream.</summary>
    All,

    /// <summary>The last message of the stream.</summary>
    Last,

    /// <summary>The first message that is stored after the consumer was created.</summary>
    New,

    /// <summary>The message of <see cref="ConsumerConfig.StartSequence"/>.</summary>
    FromSequence,

    /// <summary>The first message that is stored at <see cref="ConsumerConfig.StartTime"/> or later.</summary>
    FromTime,

    /// <summary>The last message of each subject.</summary>
    LastPerSubject,

    /// <summary>A value of a newer server. It cannot be sent.</summary>
    Other,
}
