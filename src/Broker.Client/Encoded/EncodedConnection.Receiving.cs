using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Broker.Client.Subscriptions;

namespace Broker.Client.Encoded;

public sealed partial class EncodedConnection
{
    /// <summary>
    /// Subscribes with a handler for values, which is called for one after the other from a queue of its own: while it runs, or waits, nobody
    /// else does.
    /// </summary>
    /// <param name="filter">A subject, in which <c>*</c> and <c>&gt;</c> are wildcards.</param>
    /// <param name="handler">Called on threads of the pool. What it throws is told to <see cref="BrokerConnection.Fault"/>, and the next value comes.</param>
    /// <param name="options">How much may wait, and what becomes of more; null for the defaults.</param>
    /// <param name="queue">The queue group to be a member of; null for none.</param>
    /// <exception cref="ArgumentException">The filter, the queue's name or an option is not valid.</exception>
    /// <exception cref="Errors.ConnectionLostException">The connection is closed or being drained.</exception>
    public HandlerBinding Subscribe<T>(string filter, Action<T> handler, QueueOptions? options = null, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind<T>(
            filter,
            (value, _) =>
            {
                handler(value);
                return ValueTask.CompletedTask;
            },
            options,
            queue);
    }

    /// <inheritdoc cref="Subscribe{T}(string, Action{T}, QueueOptions?, string?)"/>
    public HandlerBinding Subscribe<T>(string filter, Action<T, Message> handler, QueueOptions? options = null, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind<T>(
            filter,
            (value, message) =>
            {
                handler(value, message);
                return ValueTask.CompletedTask;
            },
            options,
            queue);
    }

    /// <inheritdoc cref="Subscribe{T}(string, Action{T}, QueueOptions?, string?)"/>
    public HandlerBinding Subscribe<T>(string filter, Func<T, ValueTask> handler, QueueOptions? options = null, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind<T>(filter, (value, _) => handler(value), options, queue);
    }

    /// <inheritdoc cref="Subscribe{T}(string, Action{T}, QueueOptions?, string?)"/>
    public HandlerBinding Subscribe<T>(string filter, Func<T, Message, ValueTask> handler, QueueOptions? options = null, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind(filter, handler, options, queue);
    }

    /// <summary>As <see cref="BrokerConnection.Subscribe"/>: the handler runs on the connection's loop and must not block.</summary>
    /// <exception cref="ArgumentException">The filter or the queue's name is not valid.</exception>
    /// <exception cref="Errors.ConnectionLostException">The connection is closed or being drained.</exception>
    public Subscription SubscribeInline<T>(string filter, Action<T> handler, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Connection.Subscribe(filter, (in MessageView message) => handler(Encoder.Decode<T>(message.Body)), queue);
    }

    /// <inheritdoc cref="SubscribeInline{T}(string, Action{T}, string?)"/>
    public Subscription SubscribeInline<T>(string filter, ValueHandler<T> handler, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Connection.Subscribe(filter, (in MessageView message) => handler(Encoder.Decode<T>(message.Body), in message), queue);
    }

    /// <summary>As <see cref="BrokerConnection.ReadAsync"/>: <c>await foreach (Order order in orders.ReadAsync&lt;Order&gt;("orders.>"))</c>.</summary>
    /// <exception cref="ArgumentException">The filter, the queue's name or an option is not valid.</exception>
    /// <exception cref="Errors.ConnectionLostException">The connection is closed or being drained.</exception>
    /// <exception cref="Errors.SlowConsumerException">It ended by <see cref="FullQueuePolicy.End"/>.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public async IAsyncEnumerable<T> ReadAsync<T>(
        string filter, QueueOptions? options = null, string? queue = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (Message message in Connection.ReadAsync(filter, options, queue, cancellationToken).ConfigureAwait(false))
        {
            if (TryDecode(in message, out T? value))
            {
                yield return value!;
            }
        }
    }

    /// <summary>
    /// Binds a channel for receiving: writes what arrives into it, waiting for room. What waits meanwhile is bounded by
    /// <paramref name="options"/>. The channel is completed when the subscription has ended and all of it is written, with an error if that
    /// was one.
    /// </summary>
    /// <exception cref="ArgumentException">The filter, the queue's name or an option is not valid.</exception>
    /// <exception cref="Errors.ConnectionLostException">The connection is closed or being drained.</exception>
    public ChannelBinding BindReceive<T>(string filter, ChannelWriter<T> target, QueueOptions? options = null, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(target);
        QueuedSubscription subscription = Connection.SubscribeQueued(filter, options, queue);
        return ChannelBinding.Start(subscription, stop => WriteAllAsync(subscription, target, stop));
    }

    private HandlerBinding Bind<T>(string filter, Func<T, Message, ValueTask> handler, QueueOptions? options, string? queue)
        => HandlerBinding.Start(
            Connection.SubscribeQueued(filter, options, queue), message => handler(Encoder.Decode<T>(message.Body.Span), message));

    private async Task WriteAllAsync<T>(QueuedSubscription subscription, ChannelWriter<T> target, CancellationToken stop)
    {
        try
        {
            while (await subscription.Reader.WaitToReadAsync(stop).ConfigureAwait(false))
            {
                while (subscription.Reader.TryRead(out Message message))
                {
                    if (TryDecode(in message, out T? value) && !target.TryWrite(value!))
                    {
                        await target.WriteAsync(value!, stop).ConfigureAwait(false);
                    }
                }
            }

            target.TryComplete();
        }
        catch (ChannelClosedException)
        {
            // Its readers want no more.
            await subscription.DisposeAsync().ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            target.TryComplete();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            target.TryComplete(e);
        }
    }

    private bool TryDecode<T>(in Message message, out T? value)
    {
        try
        {
            value = Encoder.Decode<T>(message.Body.Span);
            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Connection.Core.Events.ReportFault(message.Subscription, e);
            value = default;
            return false;
        }
    }
}
