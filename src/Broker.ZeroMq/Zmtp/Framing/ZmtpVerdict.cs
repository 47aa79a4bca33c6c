namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>What a frame handler wants after a message or command.</summary>
internal enum ZmtpVerdict
{
    /// <summary>Taken; go on.</summary>
    Continue,

    /// <summary>Taken; return to the caller now (end of a fairness turn, change of state).</summary>
    Pause,

    /// <summary>Not taken: keep it unconsumed and return to the caller; the next call delivers it again (backpressure).</summary>
    Hold,

    /// <summary>Give up the connection: the decoder fails with <see cref="ZmtpError.Aborted"/>.</summary>
    Abort,
}
