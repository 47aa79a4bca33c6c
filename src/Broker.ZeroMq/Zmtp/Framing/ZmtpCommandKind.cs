namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>The commands of RFC 37 and of the mechanisms of RFC 24 and 25. Names that are not known are legal.</summary>
internal enum ZmtpCommandKind
{
    /// <summary>A name that is not known here.</summary>
    Unknown,

    /// <summary>READY: end of the handshake, with metadata.</summary>
    Ready,

    /// <summary>ERROR: the peer refuses, with a reason.</summary>
    Error,

    /// <summary>SUBSCRIBE (3.1): one subscription more for a prefix.</summary>
    Subscribe,

    /// <summary>CANCEL (3.1): one subscription less.</summary>
    Cancel,

    /// <summary>PING (3.1): heartbeat, to be answered by PONG.</summary>
    Ping,

    /// <summary>PONG (3.1): answer to PING.</summary>
    Pong,

    /// <summary>HELLO, of PLAIN and CURVE.</summary>
    Hello,

    /// <summary>WELCOME, of PLAIN and CURVE.</summary>
    Welcome,

    /// <summary>INITIATE, of PLAIN and CURVE.</summary>
    Initiate,

    /// <summary>MESSAGE, of CURVE.</summary>
    Message,
}
