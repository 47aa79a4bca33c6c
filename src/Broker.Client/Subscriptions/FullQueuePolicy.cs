namespace Broker.Client;

/// <summary>What happens to a message when the queue of its subscription is full.</summary>
public enum FullQueuePolicy
{
    /// <summary>The new message is dropped before it is copied.</summary>
    DropNewest,

    /// <summary>The oldest messages in the queue are dropped to make space for the new message.</summary>
    DropOldest,

    /// <summary>
    /// The new message and all later messages are dropped, and the subscription ends. Its reader gets the queued
    /// messages and then a <see cref="SlowConsumerException"/>.
    /// </summary>
    End,
}
