namespace Broker.ZeroMq;

/// <summary>The result of an attempt to send.</summary>
internal enum EnqueueResult
{
    /// <summary>There is no room.</summary>
    Full,

    /// <summary>The message is queued for the loop.</summary>
    Sent,

    /// <summary>The queue is closed.</summary>
    Closed,
}
