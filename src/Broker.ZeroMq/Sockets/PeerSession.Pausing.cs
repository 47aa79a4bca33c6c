namespace Broker.ZeroMq.Loops;

// This part pauses the session. While a session is paused, nothing is read from its peer, so the peer's sends block.
// All members run on the loop.
internal abstract partial class PeerSession
{
    /// <summary>Whether the current call must deliver no further messages.</summary>
    private protected bool MustStop => IsOver || Connection.IsReceivingPaused;

    /// <summary>Whether no messages are delivered now.</summary>
    internal bool IsPaused => Connection.IsReceivingPaused;

    /// <summary>
    /// Pauses the session, unless it is over. Returns the verdict for the decoder on a message that was refused.
    /// </summary>
    private protected ZmtpVerdict Refused()
    {
        if (IsOver)
        {
            return ZmtpVerdict.Abort;
        }

        Pause();
        return ZmtpVerdict.Defer;
    }

    /// <summary>
    /// Returns the verdict for the decoder on a message that was taken while <see cref="MustStop"/> is true.
    /// </summary>
    private protected ZmtpVerdict Stopped() => IsOver ? ZmtpVerdict.Abort : ZmtpVerdict.Pause;

    /// <summary>Delivers no more messages of this peer until <see cref="Resume"/>.</summary>
    internal void Pause()
    {
        if (!Connection.IsReceivingPaused)
        {
            Connection.PauseReceiving();
        }
    }

    /// <summary>Ends a pause. The buffered bytes are delivered in a separate iteration of the loop.</summary>
    internal void Resume()
    {
        if (Connection.IsReceivingPaused)
        {
            Heartbeat?.OnResumed();
            Connection.ResumeReceiving();
        }
    }
}
