namespace Broker.Transport;

/// <summary>The state of a connection's sender. Under the lock of the queue.</summary>
internal enum SendState
{
    /// <summary>
    /// No thread sends, and the transport is expected to accept bytes. The queue is empty, except during a TLS
    /// handshake and while other connections come first.
    /// </summary>
    Idle,

    /// <summary>A thread has the right to send.</summary>
    Sending,

    /// <summary>
    /// A thread has the right to send, and the transport meanwhile reported that it accepts bytes again: a "blocked"
    /// result of that send may be outdated.
    /// </summary>
    SendingWritable,

    /// <summary>
    /// The transport has the right to send, and waits for the peer with an asynchronous send of a part of the first
    /// block.
    /// </summary>
    AsyncSending,

    /// <summary>The transport accepts no more bytes, and will report when it does.</summary>
    Blocked,

    /// <summary>The transport is broken.</summary>
    Failed,
}
