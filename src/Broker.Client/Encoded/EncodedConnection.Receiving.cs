using System.Runtime.CompilerServices;
using System.Threading.Channels;

namespace Broker.Client;

public sealed partial class EncodedConnection
{
    /// <summary>
    /// Subscribes with a handler for values. The values wait in a queue of their own, and the handler is called for one
    /// value at a time. A handler that runs long, or that awaits, does not delay other subscriptions.
    /// </summary>
    /// <param name="filter">A subject, in which <c>*</c> and <c>&gt;</c> are wildcards.</param>
    /// <param name="handler">Called on thread-pool threads. An exception is reported to
    /// <see cref="ClientOptions.OnFault"/>, and then the next value follows.</param>
    /// <param name="options">The limits of the queue, and the policy for a full queue. Null for the defaults.</param>
    /// <param name="queue">The queue group to join. Null for none.</param>
    /// <exception cref="ArgumentException">The filter, the name of the queue group or an option is not
    /// valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
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

    /// <summary>
    /// Subscribes like <see cref="BrokerConnection.Subscribe(string, MessageHandler, string?, object?)"/>: the handler
    /// runs on the connection's loop and must not block.
    /// </summary>
    /// <exception cref="ArgumentException">The filter or the name of the queue group is not valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
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

    /// <summary>
    /// Subscribes and reads like <see cref="BrokerConnection.ReadAsync"/>: <c>await foreach (Order order in
    /// orders.ReadAsync&lt;Order&gt;("orders.>"))</c>.
    /// </summary>
    /// <exception cref="ArgumentException">The filter, the name of the queue group or an option is not
    /// valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
    /// <exception cref="SlowConsumerException">The subscription ended because of
    /// <see cref="FullQueuePolicy.End"/>.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
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
    /// Subscribes and reads like <see cref="ReadAsync"/>, but returns each value with its subject, its reply subject
    /// and its headers.
    /// </summary>
    /// <exception cref="ArgumentException">The filter, the name of the queue group or an option is not
    /// valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
    /// <exception cref="SlowConsumerException">The subscription ended because of
    /// <see cref="FullQueuePolicy.End"/>.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <example>
    /// <code>
    /// await foreach (EncodedMessage&lt;Order&gt; order in orders.ReadMessagesAsync&lt;Order&gt;("orders.>"))
    /// {
    ///     Console.WriteLine($"{order.Subject}: {order.Value.Pieces}");
    /// }
    /// </code>
    /// </example>
    public async IAsyncEnumerable<EncodedMessage<T>> ReadMessagesAsync<T>(
        string filter, QueueOptions? options = null, string? queue = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (Message message in Connection.ReadAsync(filter, options, queue, cancellationToken).ConfigureAwait(false))
        {
            if (TryDecode(in message, out T? value))
            {
                yield return new EncodedMessage<T>(this, value!, in message);
            }
        }
    }

    /// <summary>
    /// Binds a channel for receiving: writes the arriving values to the channel and waits when the channel is full.
    /// <paramref name="options"/> limits the messages that wait meanwhile. When the subscription has ended and all its
    /// values have been written, the channel is completed. If the subscription ended with an error, the channel is
    /// completed with this error.
    /// </summary>
    /// <exception cref="ArgumentException">The filter, the name of the queue group or an option is not
    /// valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
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
            // The channel was completed by its reader, so the subscription can end.
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
