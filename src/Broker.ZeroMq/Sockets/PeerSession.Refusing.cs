using Broker.Transport;

namespace Broker.ZeroMq.Loops;

// This part refuses peers after the handshake and sends them the reason. All members run on the loop.
internal abstract partial class PeerSession
{
    /// <summary>
    /// Refuses the peer because of what it sent, and sends it the reason in an ERROR command. A peer with a version
    /// before ZMTP 3.1 gets no command, because it does not expect a command between messages and may take the command
    /// for a message.
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

        // The peer may be sending the rest of a large message. Closing at once would reset the connection, and after a
        // reset the peer may be unable to read the command. Reading on would consume messages that the peer could
        // otherwise send again on its next connection.
        Connection.CloseUnread(ErrorLinger);
        OnLingering();
    }

    /// <summary>
    /// Called before an ERROR command is written for an accepted peer: from now on no message may be written for this
    /// peer, although the connection lasts until the peer has read the command.
    /// </summary>
    private protected virtual void OnEnding()
    {
    }

    /// <summary>
    /// Called after <see cref="OnEnding"/>, when the connection is being closed. Closing may take up to
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

    // The ERROR command does not say which message the peer refused.
    private bool OnErrorOfPeer(in ZmtpCommand command)
    {
        string text = ZmtpErrors.Text(ZmtpError.PeerRefused);
        string reason = ZmtpErrors.Printable(command.ReadErrorReason());
        Refuse(reason.Length == 0 ? text : $"{text}: {reason}");
        return false;
    }
}
