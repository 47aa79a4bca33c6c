namespace Broker.Server;

/// <summary>
/// What happens to a client for which more than <see cref="BrokerServerOptions.MaxPending"/> bytes wait. Publishers are
/// never held up for it.
/// </summary>
/// <remarks>
/// Only whole messages are dropped. Each is counted in <see cref="ServerSnapshot.Dropped"/>, and a warning is logged when a
/// client begins to lose messages and when it has caught up. A client that may lose messages is not closed by
/// <see cref="BrokerServerOptions.WriteDeadline"/>; unanswered PINGs still find one that is gone.
/// </remarks>
public enum SlowConsumerPolicy
{
    /// <summary>It is closed, as by nats-server.</summary>
    Disconnect,

    /// <summary>
    /// What comes while its queue is full passes it by. A queue group then chooses another member.
    /// </summary>
    DropNewest,

    /// <summary>
    /// What has waited longest makes room: messages are dropped from the front of its queue, some at a time. What the
    /// operating system was given already cannot be taken back, so a gap follows that.
    /// </summary>
    DropOldest,
}
