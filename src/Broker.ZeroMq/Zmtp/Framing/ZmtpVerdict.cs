namespace Broker.ZeroMq;

/// <summary>The decision of a frame handler about a message or command.</summary>
internal enum ZmtpVerdict
{
    /// <summary>Taken. The decoder continues.</summary>
    Continue,

    /// <summary>
    /// Taken. The decoder returns to the caller now, because the handler's state changed or other peers must be served.
    /// </summary>
    Pause,

    /// <summary>
    /// Not taken. The decoder keeps the message unconsumed and returns to the caller; the next call delivers it again
    /// (backpressure).
    /// </summary>
    Defer,

    /// <summary>The connection must be closed. The decoder fails with <see cref="ZmtpError.Aborted"/>.</summary>
    Abort,
}
