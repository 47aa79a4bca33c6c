namespace Broker.ZeroMq.Queues;

/// <summary>What came of an attempt to send.</summary>
internal enum SendOutcome
{
    /// <summary>There is no room.</summary>
    Full,

    /// <summary>The message is on its way to the loop.</summary>
    Sent,

    /// <summary>The queue is closed.</summary>
    Closed,
}
