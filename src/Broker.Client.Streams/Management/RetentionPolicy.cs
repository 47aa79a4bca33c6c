namespace Broker.Client.Streams;

/// <summary>How long a stream keeps its messages.</summary>
public enum RetentionPolicy
{
    /// <summary>Until a limit of the stream is reached.</summary>
    Limits,

    /// <summary>Until all consumers have acknowledged the message.</summary>
    Interest,

    /// <summary>Until one consumer has acknowledged the message.</summary>
    WorkQueue,

    /// <summary>A value of a newer server. It cannot be sent.</summary>
    Other,
}
