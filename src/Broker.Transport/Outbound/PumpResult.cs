namespace Broker.Transport;

/// <summary>
/// The result of a call of the outbound pump. It states what the sender must do outside the lock of the queue.
/// </summary>
internal enum PumpResult
{
    /// <summary>Nothing to do: the bytes are queued, or there was nothing to send.</summary>
    None,

    /// <summary>
    /// The pump has sent bytes. If the connection lingers, the sender checks whether the queue is empty now.
    /// </summary>
    Sent,

    /// <summary>
    /// The connection accepts no more bytes. The sender reports the flushed bytes as discarded and returns their
    /// blocks.
    /// </summary>
    Discarded,

    /// <summary>
    /// The transport or the security layer has failed to send. The sender closes the connection on its loop.
    /// </summary>
    Failed,

    /// <summary>The connection was closed while this thread was sending. This thread must finish the closing.</summary>
    FinishClosing,
}
