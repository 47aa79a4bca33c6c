namespace Broker.ZeroMq;

/// <summary>The kinds of <see cref="ZeroMqEvent"/>.</summary>
public enum ZeroMqEventKind
{
    /// <summary>The socket listens at the endpoint.</summary>
    Listening,

    /// <summary>
    /// An attempt to connect failed. Reported once until the reason changes or an attempt succeeds; the attempts
    /// continue.
    /// </summary>
    ConnectFailed,

    /// <summary>The handshake with a peer is complete.</summary>
    PeerConnected,

    /// <summary>A peer disconnected after a complete handshake, for a reason that is not its fault.</summary>
    PeerDisconnected,

    /// <summary>
    /// A peer was refused before or after its handshake: a limit was exceeded, its bytes were malformed, its socket
    /// type was wrong, or the application refused it. No other event reports the end of its connection. A connecting
    /// socket reports it once until the reason changes.
    /// </summary>
    PeerRefused,

    /// <summary>
    /// The high-water mark of a peer was reached. Messages to it are dropped and counted until its queue is empty.
    /// </summary>
    MessagesDropped,

    /// <summary>
    /// A message to a connected endpoint was dropped, because its connection ended four times while it was being sent.
    /// The peer may refuse it by its size.
    /// </summary>
    MessageInterrupted,
}
