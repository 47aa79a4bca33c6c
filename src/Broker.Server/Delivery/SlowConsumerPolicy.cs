namespace Broker.Server;

/// <summary>
/// What the server does when more than <see cref="BrokerServerOptions.MaxPending"/> bytes are queued for a client. A
/// slow client never blocks publishers, but see <see cref="BrokerServerOptions.StallFastPublishers"/>.
/// </summary>
/// <remarks>
/// Only whole messages are dropped. Each is counted in <see cref="ServerSnapshot.Dropped"/>. The server logs a warning
/// when a client begins to lose messages and another when it has caught up. With a policy that drops messages,
/// <see cref="BrokerServerOptions.WriteDeadline"/> does not close the client; unanswered PINGs still detect a lost
/// connection.
/// </remarks>
public enum SlowConsumerPolicy
{
    /// <summary>The server closes the connection, as nats-server does.</summary>
    Disconnect,

    /// <summary>
    /// The server drops new messages while the client's queue is full. For a queue group it then chooses another
    /// member.
    /// </summary>
    DropNewest,

    /// <summary>
    /// The server drops the oldest messages of the client's queue, several at a time. Bytes that the operating system
    /// has accepted already cannot be dropped, so the client receives these first and the gap comes after them.
    /// </summary>
    DropOldest,
}
