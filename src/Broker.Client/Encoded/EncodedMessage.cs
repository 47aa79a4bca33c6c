namespace Broker.Client;

/// <summary>
/// A received value together with its message: subject, reply subject and headers. It is an owned copy, so it stays
/// valid for as long as the program keeps it.
/// </summary>
/// <typeparam name="T">The type of the value.</typeparam>
public readonly struct EncodedMessage<T>
{
    private readonly EncodedConnection _connection;
    private readonly Message _message;

    internal EncodedMessage(EncodedConnection connection, T value, in Message message)
    {
        _connection = connection;
        Value = value;
        _message = message;
    }

    /// <summary>The value that the encoder has read from the body.</summary>
    public T Value { get; }

    /// <summary>The message with its body as bytes.</summary>
    public Message Message => _message;

    /// <inheritdoc cref="Message.Subject"/>
    public string Subject => _message.Subject;

    /// <inheritdoc cref="Message.ReplyTo"/>
    public string? ReplyTo => _message.ReplyTo;

    /// <inheritdoc cref="Message.Headers"/>
    public ReceivedHeaders Headers => _message.Headers;

    /// <summary>Publishes a value as the reply to this message, with the same encoder.</summary>
    /// <inheritdoc cref="EncodedConnection.Respond{T}(Message, T, MessageHeaders?)"/>
    public void Respond<TAnswer>(TAnswer value, MessageHeaders? headers = null) => _connection.Respond(_message, value, headers);

    /// <inheritdoc cref="Message.ToString"/>
    public override string ToString() => _message.ToString();
}
