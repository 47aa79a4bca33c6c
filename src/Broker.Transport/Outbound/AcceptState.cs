namespace Broker.Transport.Outbound;

/// <summary>What becomes of bytes that are handed over. Under the queue's gate; it only ever goes on.</summary>
internal enum AcceptState
{
    /// <summary>They are queued.</summary>
    Open,

    /// <summary>The bound was reached: they are lost, and counted.</summary>
    Full,

    /// <summary>This side has said its last word: they lead nowhere.</summary>
    Completed,

    /// <summary>The connection is closed, and nothing is sent any more.</summary>
    Stopped,
}
