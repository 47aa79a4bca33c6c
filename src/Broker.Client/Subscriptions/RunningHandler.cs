namespace Broker.Client;

/// <summary>
/// The handler of a subscription's queued messages, while its code runs. After an await, and in tasks that the handler
/// has started, it is still the running handler.
/// </summary>
/// <param name="subscription">The subscription.</param>
internal sealed class RunningHandler(QueuedSubscription subscription)
{
    private static readonly AsyncLocal<RunningHandler?> Running = new();

    private readonly TaskCompletionSource _leftOut = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The handler that has called the running code. Null outside of handlers.</summary>
    internal static RunningHandler? Current => Running.Value;

    /// <summary>Completes when a drain must not wait for the handler any more.</summary>
    internal Task LeftOut => _leftOut.Task;

    /// <summary>Makes this handler the running handler for the rest of the calling task.</summary>
    internal void Enter() => Running.Value = this;

    /// <summary>
    /// A drain of this connection does not wait for the handler any more, because the handler waits for the drain.
    /// </summary>
    internal void LeaveOutOfDrain(BrokerConnection connection)
    {
        if (subscription.Subscription.Connection == connection)
        {
            _leftOut.TrySetResult();
        }
    }
}
