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
    /// type was wrong, or the application refused it. No other event reports the end of its connection. A socket that
    /// connected to the peer reports the event only once until the reason changes.
    /// </summary>
    PeerRefused,

    /// <summary>
    /// A message was dropped because its peer's queue had no room, for example at the high-water mark. Further drops
    /// are counted but not reported until the peer's queue has been empty.
    /// </summary>
    MessagesDropped,

    /// <summary>
    /// A message to an endpoint that this socket connects to was dropped, because four connections in a row ended in
    /// the middle of the message. The peer may refuse the message because of its size.
    /// </summary>
    MessageInterrupted,
}
