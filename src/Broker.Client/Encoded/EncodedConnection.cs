namespace Broker.Client;

/// <summary>
/// Sends and receives values in place of bytes over a <see cref="BrokerConnection"/>. Several encoded connections with
/// different encoders may use one connection. The owner of that connection closes it.
/// </summary>
/// <remarks>
/// A message that cannot be decoded is reported to <see cref="ClientOptions.OnFault"/> with its subscription and
/// skipped. Other messages still arrive. Thread-safe.
/// </remarks>
/// <param name="connection">The connection to use.</param>
/// <param name="encoder">Converts values to bodies and bodies to values.</param>
public sealed partial class EncodedConnection(BrokerConnection connection, IMessageEncoder encoder)
{
    private BodyBuffer? _spare;

    /// <summary>The connection that is used.</summary>
    public BrokerConnection Connection { get; } = connection ?? throw new ArgumentNullException(nameof(connection));

    /// <summary>Converts values to bodies and bodies to values.</summary>
    public IMessageEncoder Encoder { get; } = encoder ?? throw new ArgumentNullException(nameof(encoder));

    /// <summary>Publishes a value like <see cref="BrokerConnection.Publish"/>.</summary>
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

    /// <summary>Publishes a value like <see cref="BrokerConnection.PublishAsync"/>.</summary>
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
            // With tracing there is one attempt, not two, so that there is only one span.
            return Connection.Core.TracedSends is null && Connection.PublishWithStatus(subject, body.Written, replyTo, headers) < PublishStatus.PendingLimit
                ? ValueTask.CompletedTask
                : Connection.PublishAsync(subject, body.Written.ToArray(), replyTo, headers, cancellationToken);
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
    /// Sends a value as a request like <see cref="BrokerConnection.RequestAsync"/> and returns the value of the reply.
    /// </summary>
    /// <exception cref="FormatException">The reply cannot be decoded.</exception>
    /// <inheritdoc cref="BrokerConnection.RequestAsync"/>
    public async ValueTask<TAnswer> RequestAsync<TRequest, TAnswer>(
        string subject, TRequest value, TimeSpan timeout, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        ValueTask<Message> request;
        BodyBuffer body = Encode(value);
        try
        {
            // The body is copied before the method returns.
            request = Connection.Core.RequestAsync(subject, body.Written, timeout, headers, cancellationToken);
        }
        finally
        {
            Return(body);
        }

        return Encoder.Decode<TAnswer>((await request.ConfigureAwait(false)).Body.Span);
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
