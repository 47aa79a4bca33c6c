namespace Broker.Client;

/// <summary>The outcome of adding a message to a <see cref="SubscriptionQueue"/>.</summary>
internal enum EnqueueOutcome
{
    /// <summary>The message was added.</summary>
    Queued,

    /// <summary>
    /// This message or another one was dropped, and it was not the first one since the reader had caught up.
    /// </summary>
    Dropped,

    /// <summary>
    /// This message or another one was dropped, and it was the first one since the reader had caught up.
    /// </summary>
    FirstDropped,

    /// <summary>The queue has ended with an error.</summary>
    Overrun,
}
