namespace Broker.ZeroMq.Sockets;

/// <summary>What a <see cref="ZeroMqEvent"/> is about.</summary>
public enum ZeroMqEventKind
{
    /// <summary>The socket listens at the endpoint.</summary>
    Listening,

    /// <summary>A connection could not be made. Reported once until the reason changes or an attempt succeeds; attempts go on.</summary>
    ConnectFailed,

    /// <summary>The handshake with a peer is complete.</summary>
    PeerConnected,

    /// <summary>A peer is gone after a complete handshake, for a reason that is not its fault.</summary>
    PeerDisconnected,

    /// <summary>
    /// A peer was turned away, before or after the handshake: limits, malformed bytes, a wrong socket type, the application's own refusal.
    /// The only event about its end. On a connecting socket it is reported once until the reason changes.
    /// </summary>
    PeerRefused,

    /// <summary>A peer's high-water mark was reached; messages to it are dropped and counted until its queue has become empty.</summary>
    MessagesDropped,
}
