using System.Threading.Channels;
using Broker.Client.Errors;

namespace Broker.Client.Subscriptions;

/// <summary>
/// A subscription whose messages wait in a queue of its own until they are read, each an owned copy. A reader that is slow, or
/// does not read at all, delays nobody: not the connection, nor its answers to the server, nor other subscriptions.
/// </summary>
/// <remarks>
/// Read it with <c>await foreach</c> over <see cref="ReadAllAsync"/> or through <see cref="Reader"/>, from any thread and by several at a time, who then share the
/// messages. Both end when the subscription has ended and what waited has been read: by <see cref="Unsubscribe"/>,
/// <see cref="DrainAsync"/>, <see cref="AutoUnsubscribe"/> or the end of the connection.
/// </remarks>
public sealed class QueuedSubscription : IAsyncDisposable, IDisposable
{
    // Whoever took the last message and asks for no more may have left.
    private static readonly TimeSpan ReaderGrace = TimeSpan.FromSeconds(1);

    private readonly MessageQueue _queue;

    internal QueuedSubscription(QueueOptions options) => _queue = new MessageQueue(options);

    /// <summary>The filter, queue group and count of what the server sent.</summary>
    public Subscription Subscription { get; internal set; } = null!;

    /// <summary>The messages, in order of arrival.</summary>
    public ChannelReader<Message> Reader => _queue;

    /// <summary>Ends it at once for the server. What waits can still be read.</summary>
    public void Unsubscribe() => Subscription.Unsubscribe();

    /// <inheritdoc cref="Subscription.AutoUnsubscribe"/>
    public void AutoUnsubscribe(long max) => Subscription.AutoUnsubscribe(max);

    /// <summary>As <see cref="Subscription.DrainAsync"/>: when it is done, all that was on its way is in the queue.</summary>
    public Task DrainAsync(CancellationToken cancellationToken = default) => Subscription.DrainAsync(cancellationToken);

    /// <summary>What the queue has done so far.</summary>
    public QueueStatistics GetStatistics() => _queue.GetStatistics();

    /// <summary>The messages until the subscription ends.</summary>
    /// <exception cref="SlowConsumerException">It ended by <see cref="FullQueuePolicy.End"/>.</exception>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default) => _queue.ReadAllAsync(cancellationToken);

    /// <summary>Ends it and throws away what waits.</summary>
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

    internal void Take(in MessageView message)
    {
        switch (_queue.Put(in message, Subscription.Connection.Core.Subscriber.Batch))
        {
            case MessageQueue.Outcome.FirstDropped:
                Subscription.Connection.Core.Events.TellSlowConsumer(this);
                break;
            case MessageQueue.Outcome.Overrun:
                Subscription.Connection.Core.Events.TellSlowConsumer(this);
                _queue.End(new SlowConsumerException(Subscription.Filter));
                Subscription.Unsubscribe();
                break;
            default:
                break;
        }
    }

    internal void End() => _queue.End(null);

    /// <summary>What reads it for a handler; null where the program does. Behind the last message's read its handler has yet to answer.</summary>
    internal Task? Handling { get; set; }

    /// <summary>Completes when all has been read, and the last message answered where it is.</summary>
    internal async Task WhenHandledAsync()
    {
        await (Handling ?? _queue.Completion).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Lifecycle.InTimeAsync(_queue.WhenBackAsync(), ReaderGrace).ConfigureAwait(false);
    }
}
