namespace Broker.Client.Publishing;

/// <summary>What became of a message. From <see cref="PendingLimit"/> on it was refused and nothing of it is kept.</summary>
public enum PublishStatus
{
    /// <summary>It is on its way to the server, or kept for the next one. Delivery is at most once all the same.</summary>
    Accepted,

    /// <summary>No server is connected and the policy is <see cref="PublishWhileDisconnected.Drop"/>: counted and gone.</summary>
    Dropped,

    /// <summary><see cref="ClientOptions.MaxPendingBytes"/> wait for the server already.</summary>
    PendingLimit,

    /// <summary>No server is connected and <see cref="ClientOptions.ReconnectBufferSize"/> is used up.</summary>
    BufferFull,

    /// <summary>No server is connected and the policy is <see cref="PublishWhileDisconnected.Refuse"/>.</summary>
    NotConnected,

    /// <summary>The connection is closed.</summary>
    Closed,

    /// <summary>Headers and body are larger than the server's <c>max_payload</c>.</summary>
    PayloadTooLarge,

    /// <summary>Subject and reply subject are longer than <see cref="ClientOptions.MaxControlLine"/> lets them be.</summary>
    SubjectTooLong,

    /// <summary>There are headers, and the server or <see cref="ClientOptions.Headers"/> does not want any.</summary>
    HeadersNotSupported,
}
