namespace Broker.Server;

/// <summary>
/// Handles the messages and events of a <see cref="MessageTarget"/>. The server calls all methods on the target's loop,
/// so they must not block.
/// </summary>
public interface IMessageTargetHandler
{
    /// <summary>
    /// Handles messages for the target's subscriptions. The messages of one publisher arrive in the order of their
    /// publishes.
    /// </summary>
    /// <param name="batch">The messages. They are valid until the method returns.</param>
    void OnMessages(MessageBatch batch);

    /// <summary>
    /// Handles a change of the account's interest: a client, another target, or an account that imports a stream
    /// subscribed or unsubscribed. The server calls this method only if
    /// <see cref="MessageTargetOptions.WatchInterest"/> is set. The subscriptions that exist when the target is created
    /// are reported first. The target's own subscriptions are not reported.
    /// </summary>
    /// <param name="filter">The filter of the subscription. It is valid until the method returns.</param>
    /// <param name="queueGroup">The queue group of the subscription; empty without a queue group.</param>
    /// <param name="isAdded">True if the subscription was added, and false if it was removed.</param>
    /// <remarks>
    /// Each subscription is reported, even if another subscription has the same filter and queue group. A handler that
    /// needs to know whether a filter has any subscription must count the subscriptions.
    /// </remarks>
    void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
    {
    }

    /// <summary>
    /// Handles the loss of messages that exceeded <see cref="MessageTargetOptions.MaxPendingBytes"/>.
    /// </summary>
    /// <param name="count">The number of messages that were dropped since the last call.</param>
    void OnMessagesDropped(long count)
    {
    }
}
