using Broker.Transport;

namespace Broker.ZeroMq.Loops;

// Refusals after the handshake, with the reason for the other side. All members run on the loop.
internal abstract partial class PeerSession
{
    /// <summary>
    /// Refuses the peer because of what it sent, and sends it the reason in an ERROR command. A peer of a version
    /// before ZMTP 3.1 does not expect a command between messages and may take it for a message, so it gets none.
    /// </summary>
    internal void RefuseWithError(string reason)
    {
        if (IsOver || !Peer!.Zmtp.IsOf31 || !HasRoomForAnswer)
        {
            Refuse(reason);
            return;
        }

        OnEnding();
        if (IsOver)
        {
            // The last messages could not be sent, and the connection has ended.
            return;
        }

        LoopWriteBuffer buffer = WriteBuffer;
        buffer.Advance(ZmtpCommandWriter.WriteError(buffer.GetSpan(ZmtpCommandWriter.MaxErrorSize), reason));

        IsOver = true;
        StopTimers();
        Report(ZeroMqEventKind.PeerRefused, reason);

        // The peer may be sending the rest of a large message. Closing at once would reset the connection, and a reset
        // can take the command from the peer before it has read it. Reading on would take what the peer can send again
        // on its next connection.
        Connection.CloseUnread(ErrorLinger);
        OnLingering();
    }

    /// <summary>
    /// Called before an ERROR command is written for an accepted peer: no further message may be written for it,
    /// although its connection lasts until the peer has read the command.
    /// </summary>
    private protected virtual void OnEnding()
    {
    }

    /// <summary>
    /// Called after <see cref="OnEnding"/>, when the connection is no longer open but may last for up to
    /// <see cref="ErrorLinger"/>.
    /// </summary>
    private protected virtual void OnLingering()
    {
    }

    // Refuses the peer because its bytes break a rule of ZMTP or exceed a limit of the socket.
    private void OnRefusedBytes(ZmtpError error)
    {
        Socket.CountRefused(error);
        ZmtpLimits limits = Socket.InboundLimits;
        string reason = ZmtpErrors.Text(error);
        RefuseWithError(error switch
        {
            ZmtpError.FrameTooLarge => $"{reason} of {limits.MaxFrameSize} bytes",
            ZmtpError.MessageTooLarge => $"{reason} of {limits.MaxMessageSize} bytes",
            ZmtpError.TooManyFrames => $"{reason} of {limits.MaxFrames}",
            _ => reason,
        });
    }

    // The peer does not say which message it refused.
    private bool OnErrorOfPeer(in ZmtpCommand command)
    {
        string text = ZmtpErrors.Text(ZmtpError.PeerRefused);
        string reason = ZmtpErrors.Printable(command.ReadErrorReason());
        Refuse(reason.Length == 0 ? text : $"{text}: {reason}");
        return false;
    }
}
