namespace Broker.Transport;

/// <summary>The state of a connection's sender. Used under the lock of the queue.</summary>
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
    /// A thread has the right to send, and the transport has meanwhile reported that it accepts bytes again. If this
    /// send ends as blocked, that result may be outdated.
    /// </summary>
    SendingWritable,

    /// <summary>
    /// The transport has the right to send. It waits for the peer with an asynchronous send of a part of the first
    /// block.
    /// </summary>
    AsyncSending,

    /// <summary>The transport accepts no more bytes. It will report when it accepts bytes again.</summary>
    Blocked,

    /// <summary>The transport is broken.</summary>
    Failed,
}
