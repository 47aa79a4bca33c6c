namespace Broker.ZeroMq.Loops;

// Pausing: while a session is paused, nothing is read from its peer, so that the peer's sends block. All members run on
// the loop.
internal abstract partial class PeerSession
{
    /// <summary>Whether the current call must deliver no further messages.</summary>
    private protected bool MustStop => IsOver || Connection.IsReceivingPaused;

    /// <summary>Whether no messages are delivered now.</summary>
    internal bool IsPaused => Connection.IsReceivingPaused;

    /// <summary>The result for the decoder if a message was refused. Pauses the session unless it is over.</summary>
    private protected ZmtpVerdict Refused()
    {
        if (IsOver)
        {
            return ZmtpVerdict.Abort;
        }

        Pause();
        return ZmtpVerdict.Defer;
    }

    /// <summary>The result for the decoder if a message was taken and <see cref="MustStop"/> is true.</summary>
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
            Heartbeat.OnResumed();
            Connection.ResumeReceiving();
        }
    }
}
