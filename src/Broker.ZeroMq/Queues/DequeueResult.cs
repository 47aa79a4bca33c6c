namespace Broker.ZeroMq;

/// <summary>The result of an attempt to take a message.</summary>
internal enum DequeueResult
{
    /// <summary>There is no message.</summary>
    Empty,

    /// <summary>The message was taken.</summary>
    Taken,

    /// <summary>There is a message, but the reader refused it. The message stays in the queue.</summary>
    Refused,

    /// <summary>The queue is closed.</summary>
    Closed,
}
