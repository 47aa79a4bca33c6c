namespace Broker.Client;

/// <summary>
/// Sends and receives values in place of bytes over a <see cref="BrokerConnection"/>. Several encoded connections with
/// different encoders may use one connection. The owner of that connection closes it.
/// </summary>
/// <remarks>
/// A message that cannot be decoded is reported to <see cref="ClientOptions.OnFault"/> with its subscription and
/// skipped. Other messages still arrive. Thread-safe.
/// </remarks>
/// <example>
/// <code>
/// EncodedConnection orders = nats.WithEncoder(JsonEncoder.Instance);
/// orders.Subscribe&lt;Order&gt;("orders.new", order => Console.WriteLine(order.Pieces));
/// orders.Publish("orders.new", new Order("tea", 2));
/// </code>
/// </example>
/// <param name="connection">The connection to use.</param>
/// <param name="encoder">Converts values to bodies and bodies to values.</param>
public sealed partial class EncodedConnection(BrokerConnection connection, IMessageEncoder encoder)
{
    private BodyBuffer? _spare;

    /// <summary>The connection that is used.</summary>
    public BrokerConnection Connection { get; } = connection ?? throw new ArgumentNullException(nameof(connection));

    /// <summary>Converts values to bodies and bodies to values.</summary>
    public IMessageEncoder Encoder { get; } = encoder ?? throw new ArgumentNullException(nameof(encoder));

    /// <summary>
    /// Publishes a value like
    /// <see cref="BrokerConnection.Publish(string, ReadOnlySpan{byte}, string?, ReadOnlySpan{byte})"/>.
    /// </summary>
    /// <exception cref="ArgumentException">A subject is not valid.</exception>
    /// <exception cref="PublishRefusedException">The message was refused.</exception>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
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

    /// <summary>
    /// Publishes a value like
    /// <see cref="BrokerConnection.PublishAsync(string, ReadOnlyMemory{byte}, string?, ReadOnlyMemory{byte}, CancellationToken)"/>.
    /// </summary>
    /// <exception cref="ArgumentException">A subject is not valid.</exception>
    /// <exception cref="PublishRefusedException">The message was refused, and waiting would not help.</exception>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public ValueTask PublishAsync<T>(
        string subject, T value, string? replyTo = null, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        BodyBuffer body = Encode(value);
        try
        {
            return Connection.Core.PublishAsync(subject, body.Written, replyTo, headers, cancellationToken);
        }
        finally
        {
            Return(body);
        }
    }

    /// <summary>Publishes a value as the reply to a message.</summary>
    /// <exception cref="InvalidOperationException">The message has no reply subject.</exception>
    /// <exception cref="PublishRefusedException">The reply was refused.</exception>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
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

    /// <summary>
    /// Sends a value as a request and returns the value of the reply.
    /// </summary>
    /// <exception cref="FormatException">The reply cannot be decoded.</exception>
    /// <inheritdoc cref="BrokerConnection.RequestAsync(string, ReadOnlyMemory{byte}, TimeSpan?, ReadOnlyMemory{byte}, CancellationToken)"/>
    public async ValueTask<TAnswer> RequestAsync<TRequest, TAnswer>(
        string subject, TRequest value, TimeSpan? timeout = null, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        Message reply = await SendRequestAsync(subject, value, timeout, headers, cancellationToken).ConfigureAwait(false);
        return Encoder.Decode<TAnswer>(reply.Body.Span);
    }

    /// <summary>
    /// Sends a value as a request and returns the value of the reply with the reply's headers.
    /// </summary>
    /// <exception cref="FormatException">The reply cannot be decoded.</exception>
    /// <inheritdoc cref="BrokerConnection.RequestAsync(string, ReadOnlyMemory{byte}, TimeSpan?, ReadOnlyMemory{byte}, CancellationToken)"/>
    public async ValueTask<EncodedMessage<TAnswer>> RequestMessageAsync<TRequest, TAnswer>(
        string subject, TRequest value, TimeSpan? timeout = null, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        Message reply = await SendRequestAsync(subject, value, timeout, headers, cancellationToken).ConfigureAwait(false);
        return new EncodedMessage<TAnswer>(this, Encoder.Decode<TAnswer>(reply.Body.Span), in reply);
    }

    private ValueTask<Message> SendRequestAsync<TRequest>(
        string subject, TRequest value, TimeSpan? timeout, MessageHeaders? headers, CancellationToken cancellationToken)
    {
        BodyBuffer body = Encode(value);
        try
        {
            // The body is copied before the method returns.
            return Connection.Core.RequestAsync(subject, body.Written, timeout, headers, cancellationToken);
        }
        finally
        {
            Return(body);
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
