namespace Broker.ZeroMq;

/// <summary>
/// The commands of RFC 37 and of the mechanisms of RFC 24 and 25. A peer may also send commands with other names.
/// </summary>
internal enum ZmtpCommandKind
{
    /// <summary>An unknown name.</summary>
    Unknown,

    /// <summary>READY: the end of the handshake, with metadata.</summary>
    Ready,

    /// <summary>ERROR: the peer refuses, with a reason.</summary>
    Error,

    /// <summary>SUBSCRIBE (3.1): adds a subscription to a prefix.</summary>
    Subscribe,

    /// <summary>CANCEL (3.1): removes a subscription.</summary>
    Cancel,

    /// <summary>PING (3.1): a heartbeat. The receiver must answer with PONG.</summary>
    Ping,

    /// <summary>PONG (3.1): the answer to PING.</summary>
    Pong,

    /// <summary>JOIN (RFC 48): adds a group.</summary>
    Join,

    /// <summary>LEAVE (RFC 48): removes a group.</summary>
    Leave,

    /// <summary>HELLO, of PLAIN and CURVE.</summary>
    Hello,

    /// <summary>WELCOME, of PLAIN and CURVE.</summary>
    Welcome,

    /// <summary>INITIATE, of PLAIN and CURVE.</summary>
    Initiate,

    /// <summary>MESSAGE, of CURVE.</summary>
    Message,
}
