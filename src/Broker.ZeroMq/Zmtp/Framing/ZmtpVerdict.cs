namespace Broker.ZeroMq;

/// <summary>The decision of a frame handler about a message or command.</summary>
internal enum ZmtpVerdict
{
    /// <summary>The message or command was taken. The decoder continues.</summary>
    Continue,

    /// <summary>
    /// The message or command was taken. The decoder returns to the caller now, because the handler's state changed or
    /// other peers must be served.
    /// </summary>
    Pause,

    /// <summary>
    /// The message or command was not taken (backpressure). The decoder returns to the caller without consuming it, and
    /// the next call delivers it again.
    /// </summary>
    Defer,

    /// <summary>The connection must be closed. The decoder fails with <see cref="ZmtpError.Aborted"/>.</summary>
    Abort,
}
