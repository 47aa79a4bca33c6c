namespace Broker.Client;

/// <summary>The outcome of adding a message to a <see cref="SubscriptionQueue"/>.</summary>
internal enum EnqueueOutcome
{
    /// <summary>The message was added.</summary>
    Queued,

    /// <summary>
    /// This message or an older one was dropped, and other messages were dropped before since the reader last caught
    /// up.
    /// </summary>
    Dropped,

    /// <summary>
    /// This message or an older one was dropped, and no message was dropped before since the reader last caught up.
    /// </summary>
    FirstDropped,

    /// <summary>The queue has ended with an error.</summary>
    Overrun,
}
