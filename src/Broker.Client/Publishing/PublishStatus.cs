namespace Broker.Client;

/// <summary>
/// The outcome of a publish. From <see cref="PendingLimit"/> on, the message was refused and nothing of it is sent.
/// </summary>
public enum PublishStatus
{
    /// <summary>The message is queued for the server, or buffered for the next one. Delivery is at most once.</summary>
    Accepted,

    /// <summary>
    /// No server is connected and the policy is <see cref="PublishWhileDisconnected.Drop"/>. The message was counted
    /// and discarded.
    /// </summary>
    Dropped,

    /// <summary>The bytes that wait for the server have reached <see cref="ClientOptions.MaxPendingBytes"/>.</summary>
    PendingLimit,

    /// <summary>
    /// No server is connected and the buffer of <see cref="ClientOptions.ReconnectBufferSize"/> is full.
    /// </summary>
    BufferFull,

    /// <summary>
    /// No server is connected, and the policy is <see cref="PublishWhileDisconnected.Refuse"/> or the method is
    /// <see cref="BrokerConnection.PublishIfConnected"/>.
    /// </summary>
    NotConnected,

    /// <summary>The connection is closed.</summary>
    Closed,

    /// <summary>Headers and body are larger than the server's <c>max_payload</c>.</summary>
    PayloadTooLarge,

    /// <summary>Subject and reply subject are too long for <see cref="ClientOptions.MaxControlLine"/>.</summary>
    SubjectTooLong,

    /// <summary>
    /// The message has headers, but the server does not support headers or <see cref="ClientOptions.Headers"/> is
    /// false.
    /// </summary>
    HeadersNotSupported,
}
