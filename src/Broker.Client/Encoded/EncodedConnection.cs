using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Broker.Client.Publishing;
using Broker.Client.Subscriptions;

namespace Broker.Client.Encoded;

/// <summary>
/// A <see cref="BrokerConnection"/> that takes and gives values instead of bytes. Any number of them, with encoders of their own, may
/// stand on one connection, which stays its owner's to close.
/// </summary>
/// <remarks>
/// What cannot be decoded is told to <see cref="BrokerConnection.Fault"/> with its subscription and left out; other messages come all the
/// same. Thread-safe.
/// </remarks>
/// <param name="connection">What it stands on.</param>
/// <param name="encoder">How values become bodies.</param>
public sealed class EncodedConnection(BrokerConnection connection, IMessageEncoder encoder)
{
    private const string Closed = "The connection is closed.";

    private BodyBuffer? _spare;

    /// <summary>What it stands on.</summary>
    public BrokerConnection Connection { get; } = connection ?? throw new ArgumentNullException(nameof(connection));

    /// <summary>How values become bodies.</summary>
    public IMessageEncoder Encoder { get; } = encoder ?? throw new ArgumentNullException(nameof(encoder));

    /// <summary>As <see cref="BrokerConnection.Publish"/>, of a value.</summary>
    /// <exception cref="ArgumentException">A subject is not valid.</exception>
    /// <exception cref="PublishRefusedException">It was not accepted.</exception>
    /// <exception cref="NotSupportedException">The encoder does not know the type.</exception>
    public void Publish<T>(string subject, T value, string? replyTo = null, MessageHeaders? headers = null)
    {
        BodyBuffer body = Encode(value);
        try
        {
            Connection.Publish(subject, body.Written, replyTo, headers);
        }
        finally
        {
            Return(body);
        }
    }

    /// <summary>As <see cref="BrokerConnection.PublishAsync"/>, of a value.</summary>
    /// <exception cref="ArgumentException">A subject is not valid.</exception>
    /// <exception cref="PublishRefusedException">It was not accepted, and waiting would not help.</exception>
    /// <exception cref="NotSupportedException">The encoder does not know the type.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask PublishAsync<T>(
        string subject, T value, string? replyTo = null, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        BodyBuffer body = Encode(value);
        try
        {
            // Within a span there is one attempt, not two.
            return Connection.Core.TracedSends is null && Connection.TryPublish(subject, body.Written, replyTo, headers) < PublishStatus.PendingLimit
                ? ValueTask.CompletedTask
                : Connection.PublishAsync(subject, body.Written.ToArray(), replyTo, headers, cancellationToken);
        }
        finally
        {
            Return(body);
        }
    }

    /// <summary>Answers a message that expects it.</summary>
    /// <exception cref="InvalidOperationException">No answer is expected.</exception>
    /// <exception cref="PublishRefusedException">It was not accepted.</exception>
    /// <exception cref="NotSupportedException">The encoder does not know the type.</exception>
    public void Respond<T>(in MessageView message, T value, MessageHeaders? headers = null)
    {
        BodyBuffer body = Encode(value);
        try
        {
            message.Respond(body.Written, headers);
        }
        finally
        {
            Return(body);
        }
    }

    /// <inheritdoc cref="Respond{T}(in MessageView, T, MessageHeaders?)"/>
    public void Respond<T>(Message message, T value, MessageHeaders? headers = null)
    {
        BodyBuffer body = Encode(value);
        try
        {
            message.Respond(body.Written, headers);
        }
        finally
        {
            Return(body);
        }
    }

    /// <summary>As <see cref="BrokerConnection.Subscribe"/>: the handler runs on the connection's loop and must not block.</summary>
    /// <exception cref="ArgumentException">The filter or the queue's name is not valid.</exception>
    /// <exception cref="Errors.ConnectionLostException">The connection is closed or being drained.</exception>
    public Subscription Subscribe<T>(string filter, Action<T> handler, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Connection.Subscribe(filter, (in MessageView message) => handler(Encoder.Decode<T>(message.Body)), queue);
    }

    /// <inheritdoc cref="Subscribe{T}(string, Action{T}, string?)"/>
    public Subscription Subscribe<T>(string filter, ValueHandler<T> handler, string? queue = null)
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

    /// <summary>As <see cref="BrokerConnection.RequestAsync"/>, with a value each way.</summary>
    /// <exception cref="FormatException">The answer cannot be decoded.</exception>
    /// <inheritdoc cref="BrokerConnection.RequestAsync"/>
    public async ValueTask<TAnswer> RequestAsync<TRequest, TAnswer>(
        string subject, TRequest value, TimeSpan timeout, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        ValueTask<Message> request;
        BodyBuffer body = Encode(value);
        try
        {
            // Copied before the return.
            request = Connection.Core.RequestAsync(subject, body.Written, timeout, headers, cancellationToken);
        }
        finally
        {
            Return(body);
        }

        return Encoder.Decode<TAnswer>((await request.ConfigureAwait(false)).Body.Span);
    }

    /// <summary>
    /// Binds a channel for sending: publishes what is read from it, waiting for room, until it is completed.
    /// </summary>
    /// <returns>Completes when all has been accepted, or fails with what the channel was completed with or the first refusal.</returns>
    /// <exception cref="OperationCanceledException">Cancelled. What had been read from the channel has been accepted.</exception>
    /// <exception cref="Errors.ConnectionLostException">The connection is closed. What has not been read from the channel is still in it.</exception>
    public async Task BindSendAsync<T>(string subject, ChannelReader<T> source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        var closed = new CancellationTokenSource();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, closed.Token);

        // Nothing of the reader's program on the thread that tells the end.
        void OnClosed(BrokerConnection connection) => _ = closed.CancelAsync();
        Connection.Closed += OnClosed;
        try
        {
            if (Connection.State == ConnectionState.Closed)
            {
                // Before it was listened to.
                throw new Errors.ConnectionLostException(Closed);
            }

            while (await source.WaitToReadAsync(either.Token).ConfigureAwait(false))
            {
                while (source.TryRead(out T? value))
                {
                    // What has been taken from the channel is nobody else's any more.
                    await PublishAsync(subject, value, cancellationToken: CancellationToken.None).ConfigureAwait(false);
                }
            }
        }
        catch (OperationCanceledException) when (closed.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new Errors.ConnectionLostException(Closed);
        }
        finally
        {
            Connection.Closed -= OnClosed;
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

    private BodyBuffer Encode<T>(T value)
    {
        BodyBuffer body = Interlocked.Exchange(ref _spare, null) ?? new BodyBuffer();
        Encoder.Encode(value, body);
        return body;
    }

    private void Return(BodyBuffer body)
    {
        if (body.IsWorthKeeping)
        {
            body.Clear();
            _spare = body;
        }
    }
}
