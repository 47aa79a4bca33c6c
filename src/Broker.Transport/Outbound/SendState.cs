namespace Broker.Transport.Outbound;

/// <summary>What a connection's sender is doing. Under the queue's gate.</summary>
internal enum SendState
{
    /// <summary>
    /// Nobody sends, and the transport is believed to take bytes. The queue is empty, but in a handshake of TLS, and while others have their
    /// turn first.
    /// </summary>
    Idle,

    /// <summary>A thread has the right to send.</summary>
    Sending,

    /// <summary>So it has, and the transport said meanwhile that it takes bytes again: what the sender learns may be out of date.</summary>
    SendingWritable,

    /// <summary>The transport has the right to send, and waits for the peer with a piece of the first block.</summary>
    AsyncSending,

    /// <summary>The transport takes no more, and will say when it does.</summary>
    Blocked,

    /// <summary>The transport is broken.</summary>
    Failed,
}
