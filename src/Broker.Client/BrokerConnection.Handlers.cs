using System.Runtime.CompilerServices;

namespace Broker.Client;

// Handlers that own their messages, beside the handlers on the event loop that borrow them.
public sealed partial class BrokerConnection
{
    /// <summary>
    /// Subscribes with a handler that owns its messages: <c>nats.Subscribe("a", m => …)</c>. The messages wait in a
    /// queue of the subscription, and the handler is called for one message at a time, in the order of arrival. A
    /// handler that runs long or blocks does not delay the connection or other subscriptions.
    /// </summary>
    /// <remarks>
    /// The message is a copy that only the handler has. It stays valid after the handler has returned, for as long as
    /// the program keeps it. A handler of the form <c>(in m) => …</c> (<see cref="MessageHandler"/>) borrows the
    /// message instead: nothing is copied, and it runs on the event loop.
    /// </remarks>
    /// <param name="filter">The subject. <c>*</c> matches one token, and <c>&gt;</c> as the last token matches one or
    /// more tokens.</param>
    /// <param name="handler">Called on thread-pool threads. An exception is reported to
    /// <see cref="ClientOptions.OnFault"/>, and then the next message follows.</param>
    /// <param name="queue">The queue group: each message goes to one of its members. Null for none.</param>
    /// <param name="options">The limits of the queue of messages, and the policy for a full queue. Null for the
    /// defaults.</param>
    /// <returns>The binding of subscription and handler. Disposing it unsubscribes.</returns>
    /// <exception cref="ArgumentException">The filter, the name of the queue group or an option is not
    /// valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
    /// <example>
    /// <code>
    /// nats.Subscribe("weather.>", message => Console.WriteLine(message.Text));
    /// </code>
    /// </example>
    public HandlerBinding Subscribe(string filter, Action<Message> handler, string? queue = null, QueueOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind(
            filter,
            message =>
            {
                handler(message);
                return ValueTask.CompletedTask;
            },
            queue,
            options);
    }

    /// <summary>
    /// Subscribes with an asynchronous handler: <c>nats.Subscribe("a", async m => …)</c>. The messages wait in a queue
    /// of the subscription. The next call of the handler begins when the task of the call before has completed, so the
    /// handlers of one subscription run one after another, in the order of arrival.
    /// </summary>
    /// <remarks>
    /// The message is a copy that only the handler has. It stays valid while the task of the handler runs and after it,
    /// for as long as the program keeps it. A drain of the connection waits for the task.
    /// </remarks>
    /// <param name="filter">The subject. <c>*</c> matches one token, and <c>&gt;</c> as the last token matches one or
    /// more tokens.</param>
    /// <param name="handler">Called on thread-pool threads. If it throws or its task fails, the exception is reported
    /// to <see cref="ClientOptions.OnFault"/>, and then the next message follows.</param>
    /// <param name="queue">The queue group: each message goes to one of its members. Null for none.</param>
    /// <param name="options">The limits of the queue of messages, and the policy for a full queue. Null for the
    /// defaults.</param>
    /// <returns>The binding of subscription and handler. Disposing it unsubscribes.</returns>
    /// <exception cref="ArgumentException">The filter, the name of the queue group or an option is not
    /// valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
    /// <example>
    /// <code>
    /// nats.Subscribe("orders.new", async message =>
    /// {
    ///     await File.AppendAllTextAsync("orders.txt", message.Text + "\n");
    ///     message.Respond("stored");
    /// });
    /// </code>
    /// </example>
    [OverloadResolutionPriority(1)]
    public HandlerBinding Subscribe(string filter, Func<Message, ValueTask> handler, string? queue = null, QueueOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind(filter, handler, queue, options);
    }

    /// <inheritdoc cref="Subscribe(string, Func{Message, ValueTask}, string?, QueueOptions?)"/>
    public HandlerBinding Subscribe(string filter, Func<Message, Task> handler, string? queue = null, QueueOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind(filter, message => new ValueTask(handler(message)), queue, options);
    }

    /// <summary>
    /// Returns this connection for values in place of bytes. Several forms with different encoders may be used side by
    /// side, and only the connection itself has to be closed.
    /// </summary>
    /// <param name="encoder">Converts values to bodies and bodies to values: <see cref="JsonEncoder"/>,
    /// <see cref="TextEncoder"/>, <see cref="RawEncoder"/> or one of the program.</param>
    /// <example>
    /// <code>
    /// EncodedConnection orders = nats.WithEncoder(new JsonEncoder(OrdersJson.Default));
    /// orders.Subscribe&lt;Order&gt;("orders.new", order => Console.WriteLine(order.Pieces));
    /// orders.Publish("orders.new", new Order("tea", 2));
    /// </code>
    /// </example>
    public EncodedConnection WithEncoder(IMessageEncoder encoder) => new(this, encoder);

    private HandlerBinding Bind(string filter, Func<Message, ValueTask> handler, string? queue, QueueOptions? options)
        => HandlerBinding.Start(SubscribeQueued(filter, options, queue), handler);
}
