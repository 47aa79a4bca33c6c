namespace Broker.Transport;

/// <summary>
/// Whether the queue accepts flushed bytes. Used under the lock of the queue. The state only moves forward.
/// </summary>
internal enum AcceptState
{
    /// <summary>Flushed bytes are queued.</summary>
    Open,

    /// <summary>The queue has reached its limit. Flushed bytes are dropped and counted.</summary>
    Full,

    /// <summary>This side was closed. Flushed bytes are discarded.</summary>
    Completed,

    /// <summary>The connection is closed, and nothing is sent any more.</summary>
    Stopped,
}
