namespace Broker.Transport;

/// <summary>
/// Closes one connection: at once, or with a linger time in which the queue is sent and the peer can read it. On the
/// connection's loop. The object is created at the first close.
/// </summary>
internal sealed class ClosingProcedure(Connection connection)
{
    // After this side has ended its direction, it waits this long for the peer to end the other direction.
    private static readonly TimeSpan PeerGrace = TimeSpan.FromSeconds(1);

    // The same wait for an idle peer: the peer has acknowledged everything that was sent, and sends nothing.
    private static readonly TimeSpan IdlePeerGrace = TimeSpan.FromMilliseconds(10);

    private LoopTimer? _timer;
    private bool _isPeerIdle;

    /// <inheritdoc cref="Connection.Close"/>
    internal static void Request(Connection connection, TimeSpan linger)
    {
        EventLoop loop = connection.Loop;
        if (loop.IsCurrent)
        {
            connection.CloseOnLoop(CloseReason.Local, null, linger);
            return;
        }

        if (linger > TimeSpan.Zero && loop.Group.Current is { } caller)
        {
            // The caller's loop would flush these bytes at the end of its iteration, which would be too late.
            connection.Flush(caller);
        }

        loop.Post(() => connection.CloseOnLoop(CloseReason.Local, null, linger));
    }

    /// <summary>Closes the connection. With a linger time, the queue is sent first.</summary>
    internal void Close(CloseReason reason, Exception? error, TimeSpan linger)
    {
        // The handler's OnOpened must run before its OnClosed, so a connection that was not announced is announced
        // first.
        if (connection.Lifecycle.IsClosed || !ConnectionOpening.TryAnnounce(connection))
        {
            return;
        }

        bool wasOpen = connection.Lifecycle.IsOpen;
        connection.Lifecycle.SetReason(reason, error);
        if (reason != CloseReason.Local || linger <= TimeSpan.Zero)
        {
            Finish();
        }
        else if (wasOpen)
        {
            Linger(linger);
        }
    }

    /// <summary>The peer has ended its direction of the stream.</summary>
    internal void OnPeerEnded()
    {
        if (connection.Lifecycle.State == ConnectionState.Flushing)
        {
            // The peer may still read. The queued bytes are sent, and after that there is nothing to wait for.
            EndReceiving();
            return;
        }

        if (connection.Lifecycle.IsOpen)
        {
            // Sends the replies to the peer's last bytes, which were written in this iteration. The peer may still read
            // them.
            connection.Flush(connection.Loop);
        }

        connection.Sender.TrySendCloseNotify();

        // The kernel reports a reset only once. If the sender got this report, the reader only sees the end of the
        // stream.
        connection.CloseOnLoop(
            connection.Outbound.Right.HasFailed ? CloseReason.Error : CloseReason.Peer, null, TimeSpan.Zero);
    }

    /// <summary>The peer has ended its stream, and this side does not close yet.</summary>
    internal void EndReceiving()
    {
        connection.Lifecycle.EndPeer();
        lock (connection.Outbound.Queue.Gate)
        {
            connection.Transport.StopReceiving();
        }
    }

    /// <summary>Closes the connection after an exception outside a call of the handler. The loop continues.</summary>
    internal void Fail(Exception error)
    {
        connection.Loop.Group.ReportFault(error);
        try
        {
            connection.CloseOnLoop(CloseReason.Error, error, TimeSpan.Zero);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            connection.Loop.Group.ReportFault(e);
        }
    }

    /// <summary>
    /// Called when the TLS handshake has failed. The alert of TLS is sent before the connection ends.
    /// </summary>
    internal void FailHandshake(Exception error)
    {
        connection.Lifecycle.SetReason(CloseReason.Error, error);
        connection.Outbound.CompleteAdding();
        connection.Lifecycle.BeginFlushing();
        connection.Layer!.Abort(error);
        // Receiving continues, and the received bytes are dropped. Unread input would cause a reset, and the peer could
        // lose the alert.
        connection.Gate.EndPauses();
        _timer = connection.Loop.StartTimer(PeerGrace, Finish);
        Advance();
    }

    /// <summary>
    /// Ends this side's direction if the queue is empty. Called during the linger time whenever the queue may have
    /// become empty.
    /// </summary>
    internal void Advance()
    {
        if (!connection.Lifecycle.IsFlushing || connection.Outbound.HasUnsent())
        {
            return;
        }

        // Sending close_notify calls this method again. That inner call may already have done the rest.
        if (!connection.Sender.TrySendCloseNotify() || !connection.Lifecycle.IsFlushing || connection.Outbound.HasUnsent())
        {
            return;
        }

        if (connection.Lifecycle.State == ConnectionState.FlushingAfterPeer)
        {
            Finish();
            return;
        }

        // close() with unread input would make the kernel send a reset, and a reset discards bytes that the peer has
        // not read yet. So this side ends only its own direction, and continues to read until the peer ends the other
        // direction.
        connection.Lifecycle.HalfClose();
        _timer?.Cancel();
        _timer = _isPeerIdle
            ? connection.Loop.StartTimer(IdlePeerGrace, FinishIfIdle)
            : connection.Loop.StartTimer(PeerGrace, Finish);
        connection.Transport.ShutdownSend();
    }

    /// <summary>
    /// Called when bytes were received and dropped during the linger time. The peer is not idle, and a reset could
    /// interrupt its sending.
    /// </summary>
    internal void OnReceived() => _isPeerIdle = false;

    /// <summary>
    /// The second half of closing, after the last send: releases the file descriptor, calls the handler's OnClosed and
    /// drops the queue. Called once: on the loop, or, if the loop has ended, on the thread that sent last.
    /// </summary>
    internal void End()
    {
        connection.Transport.ReleaseTransport();
        connection.Layer?.Dispose();
        connection.Loop.Group.Remove(connection);
        try
        {
            connection.Handler.OnClosed(connection, connection.Lifecycle.Reason, connection.Lifecycle.Error);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            connection.Loop.Group.ReportFault(e);
        }

        connection.Outbound.DropQueue();
    }

    private void Linger(TimeSpan linger)
    {
        if (!connection.Sender.TrySecureQueued())
        {
            Finish();
            return;
        }

        // If no byte is unsent, unacknowledged or unread, the peer can lose nothing by a reset.
        _isPeerIdle = connection.GetUnflushedBytes(connection.Loop) == 0
            && !connection.Outbound.HasUnsent()
            && !connection.Transport.HasUnacknowledged()
            && !connection.Transport.HasUnread();

        // This is the last flush. It must come before the state changes to flushing. Otherwise the end of this send
        // would shut the direction down, and bytes that another thread flushes meanwhile would be accepted and lost.
        connection.Flush(connection.Loop);
        if (!connection.Lifecycle.IsOpen)
        {
            return;
        }

        // The lock makes sure that a sender on another thread either sees the new state, and calls Advance after its
        // send, or has already sent, so that this thread sees the result.
        lock (connection.Outbound.Queue.Gate)
        {
            connection.Outbound.CompleteAdding();
            connection.Lifecycle.BeginFlushing();
        }

        _timer = connection.Loop.StartTimer(linger, Finish);
        connection.Gate.EndPauses();
        Advance();
    }

    // An idle peer may need a long time to answer the end of the stream. Meanwhile a reset cannot make it lose
    // anything.
    private void FinishIfIdle()
    {
        if (_isPeerIdle && !connection.Transport.HasUnread())
        {
            Finish();
        }
        else
        {
            _timer = connection.Loop.StartTimer(PeerGrace, Finish);
        }
    }

    private void Finish()
    {
        if (!connection.Lifecycle.TryClose())
        {
            return;
        }

        _timer?.Cancel();
        _timer = null;
        StopTimersAndReceiving();
        if (connection.Outbound.TryStop())
        {
            End();
        }
    }
    private void StopTimersAndReceiving()
    {
        connection.Spinning.Close(connection.Loop);
        connection.Gate.Close();
        connection.Outbound.Deadline.Cancel();
        connection.Security?.Cancel();
        connection.Transport.ReleaseInbound();
    }
}
