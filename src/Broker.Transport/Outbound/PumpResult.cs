namespace Broker.Transport;

/// <summary>What the sender has to do after it has called the outbound pump, outside the lock of the queue.</summary>
internal enum PumpResult
{
    /// <summary>Nothing: the bytes are queued, or there was nothing to send.</summary>
    None,

    /// <summary>The pump has sent. A connection that lingers checks whether the queue is empty now.</summary>
    Sent,

    /// <summary>
    /// The connection accepts no more bytes: the flushed bytes are reported as discarded, and their blocks returned.
    /// </summary>
    Discarded,

    /// <summary>The transport or the security layer has failed to send: the connection is closed on its loop.</summary>
    Failed,

    /// <summary>The connection was closed while this thread was sending: the thread finishes the closing.</summary>
    FinishClosing,
}
