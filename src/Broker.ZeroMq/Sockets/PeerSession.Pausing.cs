using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

// A peer of whom no more is wanted for now is held up by what it has sent: nothing of it is read. All of it on the loop.
internal abstract partial class PeerSession
{
    /// <summary>Whether nothing more is to be delivered in the call under way.</summary>
    private protected bool MustStop => IsOver || Connection.IsReceivingPaused;

    /// <summary>Whether nothing is delivered now.</summary>
    internal bool IsPaused => Connection.IsReceivingPaused;

    /// <summary>What to tell the decoder when a message was not taken.</summary>
    private protected ZmtpVerdict Refused()
    {
        if (IsOver)
        {
            return ZmtpVerdict.Abort;
        }

        Pause();
        return ZmtpVerdict.Hold;
    }

    /// <summary>What to tell the decoder when a message was taken and <see cref="MustStop"/>.</summary>
    private protected ZmtpVerdict Stopped() => IsOver ? ZmtpVerdict.Abort : ZmtpVerdict.Pause;

    /// <summary>Delivers no more of this peer's messages until <see cref="Resume"/>.</summary>
    internal void Pause()
    {
        if (!Connection.IsReceivingPaused)
        {
            Connection.PauseReceiving();
        }
    }

    /// <summary>Goes on with what was held, in a turn of the loop of its own.</summary>
    internal void Resume()
    {
        if (Connection.IsReceivingPaused)
        {
            _pauses++;
            Connection.ResumeReceiving();
        }
    }
}
