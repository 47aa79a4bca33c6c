using System.Threading.Channels;

namespace Broker.Client;

/// <summary>
/// A subscription with a queue of its own, in which messages wait as owned copies until they are read. A reader that is
/// slow or does not read does not delay the connection, its answers to the server or other subscriptions.
/// </summary>
/// <remarks>
/// Read the messages with <c>await foreach</c> over <see cref="ReadAllAsync"/>, or through <see cref="Reader"/>.
/// Readers may be on any thread, and several readers share the messages. Reading ends when the subscription has ended
/// and all queued messages have been read. <see cref="Unsubscribe"/>, <see cref="DrainAsync"/>,
/// <see cref="AutoUnsubscribe"/> and the close of the connection end the subscription.
/// </remarks>
public sealed class QueuedSubscription : IAsyncDisposable, IDisposable
{
    // How long a drain waits for the reader of the last message to ask for another one. A reader that does not ask may
    // have left.
    private static readonly TimeSpan ReaderGrace = TimeSpan.FromSeconds(1);

    private readonly SubscriptionQueue _queue;

    internal QueuedSubscription(QueueOptions options) => _queue = new SubscriptionQueue(options);

    /// <summary>
    /// The subscription, with its filter, its queue group and the number of messages that the server has sent.
    /// </summary>
    public Subscription Subscription { get; internal set; } = null!;

    /// <summary>The messages in order of arrival.</summary>
    public ChannelReader<Message> Reader => _queue;

    /// <summary>Ends the subscription at once. The messages in the queue can still be read.</summary>
    public void Unsubscribe() => Subscription.Unsubscribe();

    /// <inheritdoc cref="Subscription.AutoUnsubscribe"/>
    public void AutoUnsubscribe(long max) => Subscription.AutoUnsubscribe(max);

    /// <summary>
    /// Ends the subscription like <see cref="Subscription.DrainAsync"/>. When the task completes, all messages that
    /// were on their way are in the queue.
    /// </summary>
    public Task DrainAsync(CancellationToken cancellationToken = default) => Subscription.DrainAsync(cancellationToken);

    /// <summary>Returns the counters of the queue.</summary>
    public QueueStatistics GetStatistics() => _queue.GetStatistics();

    /// <summary>Returns the messages until the subscription has ended and the queue is empty.</summary>
    /// <param name="cancellationToken">Ends the enumeration before the next message. The subscription goes on, and the
    /// messages that wait stay in the queue.</param>
    /// <exception cref="SlowConsumerException">The subscription ended because of
    /// <see cref="FullQueuePolicy.End"/>.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default) => _queue.ReadAllAsync(cancellationToken);

    /// <summary>Ends the subscription and discards the messages in the queue.</summary>
    public void Dispose()
    {
        Subscription.Unsubscribe();
        _queue.Clear();
    }

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    internal void Enqueue(in MessageView message)
    {
        switch (_queue.Enqueue(in message, Subscription.Manager.Batch))
        {
            case EnqueueOutcome.FirstDropped:
                Subscription.Manager.Events.RaiseSlowConsumer(this);
                break;
            case EnqueueOutcome.Overrun:
                Subscription.Manager.Events.RaiseSlowConsumer(this);
                _queue.End(new SlowConsumerException(Subscription.Filter));
                Subscription.Unsubscribe();
                break;
            default:
                break;
        }
    }

    /// <summary>The number of messages for which the queue has memory.</summary>
    internal int Capacity => _queue.Capacity;

    /// <summary>Ends the subscription. The reader reads the messages that wait, and then it gets the error.</summary>
    internal void Cancel(CancellationToken token) => Subscription.Manager.Cancel(this, token);

    internal void End(Exception? error) => _queue.End(error);

    /// <summary>
    /// Completes when the code that reads the queue for a handler has ended, or when the handler itself drains the
    /// connection. Null if the program reads the queue. The read of the last message is not the end: the handler may
    /// still be processing that message.
    /// </summary>
    internal Task? Handling { get; set; }

    /// <summary>Completes when all messages have been read and the last message has been processed.</summary>
    internal async Task WhenHandledAsync()
    {
        if (Handling is { } handling)
        {
            await handling.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return;
        }

        await _queue.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await BoundedWait.AtMostAsync(_queue.WhenReadersIdleAsync(), ReaderGrace).ConfigureAwait(false);
    }

    /// <summary>
    /// Waits like <see cref="WhenHandledAsync"/>, but not for readers that take no message for
    /// <paramref name="pause"/>.
    /// </summary>
    internal async Task WhenHandledOrPausedAsync(TimeSpan pause, CancellationToken cancellationToken)
    {
        Task handled = WhenHandledAsync();
        long waiting;
        do
        {
            waiting = _queue.Count;
            try
            {
                await handled.WaitAsync(pause, cancellationToken).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                // The subscription has ended, so the number of messages changes only if a reader takes one.
            }
        }
        while (!handled.IsCompleted && _queue.Count != waiting);
    }
}
