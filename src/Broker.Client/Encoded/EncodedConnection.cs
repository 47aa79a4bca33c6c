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
public sealed partial class EncodedConnection(BrokerConnection connection, IMessageEncoder encoder)
{
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
