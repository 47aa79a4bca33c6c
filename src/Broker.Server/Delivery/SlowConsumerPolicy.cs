namespace Broker.Server;

/// <summary>
/// What the server does when more than <see cref="BrokerServerOptions.MaxPending"/> bytes are queued for a client. A
/// slow client never blocks publishers, but the server may slow them down; see
/// <see cref="BrokerServerOptions.StallFastPublishers"/>.
/// </summary>
/// <remarks>
/// Only whole messages are dropped. Each dropped message is counted in <see cref="ServerSnapshot.Dropped"/>. The server
/// logs a warning when a client begins to lose messages, and another warning when the client has caught up. With a
/// policy that drops messages, <see cref="BrokerServerOptions.WriteDeadline"/> does not close the client; unanswered
/// PINGs still detect a lost connection.
/// </remarks>
public enum SlowConsumerPolicy
{
    /// <summary>The server closes the connection, as nats-server does.</summary>
    Disconnect,

    /// <summary>
    /// The server drops new messages while the client's queue is full. A message to a queue group goes to another
    /// member instead.
    /// </summary>
    DropNewest,

    /// <summary>
    /// The server drops the oldest messages of the client's queue, several at a time. Bytes that the operating system
    /// has already accepted cannot be dropped: the client receives these bytes first, and the gap comes after them.
    /// </summary>
    DropOldest,
}
