namespace Broker.Transport;

/// <summary>
/// Closes one connection: at once, or with a linger time in which the queue is sent and the peer reads it. On the
/// connection's loop; created at the first close.
/// </summary>
internal sealed class ClosingProcedure(Connection connection)
{
    // How long this side waits, after it has ended its direction, until the peer ends the other one.
    private static readonly TimeSpan PeerGrace = TimeSpan.FromSeconds(1);

    // The same wait for an idle peer: everything that was sent to it is acknowledged, and it sends nothing.
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
            // A flush at the end of the caller's iteration would be too late.
            connection.Flush(caller);
        }

        loop.Post(() => connection.CloseOnLoop(CloseReason.Local, null, linger));
    }

    /// <summary>Closes the connection. With a linger time it first sends what is queued.</summary>
    internal void Close(CloseReason reason, Exception? error, TimeSpan linger)
    {
        // The handler's OnOpened runs before its OnClosed.
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
            // The peer may still read. The last queued bytes are sent, and then there is nothing to wait for.
            EndReceiving();
            return;
        }

        if (connection.Lifecycle.IsOpen)
        {
            // Replies to the peer's last bytes, written in this iteration. The peer may still read them.
            connection.Flush(connection.Loop);
        }

        connection.Sender.TrySendCloseNotify();

        // The kernel reports a reset once. If the sender got it first, the reader only sees the end of the stream.
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

    /// <summary>
    /// Closes the connection after an exception outside a handler's call; the loop continues.
    /// </summary>
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

    /// <summary>The TLS handshake has failed: its alert is sent before the end.</summary>
    internal void FailHandshake(Exception error)
    {
        connection.Lifecycle.SetReason(CloseReason.Error, error);
        connection.Outbound.CompleteAdding();
        connection.Lifecycle.BeginFlushing();
        connection.Layer!.Abort(error);
        // Receiving continues, and the bytes are dropped: unread input would cause a reset, and the peer could lose
        // the alert.
        connection.Gate.EndPauses();
        _timer = connection.Loop.StartTimer(PeerGrace, Finish);
        Advance();
    }

    /// <summary>
    /// Ends this side's direction once the queue is empty. Called whenever the queue may have become empty while
    /// lingering.
    /// </summary>
    internal void Advance()
    {
        if (!connection.Lifecycle.IsFlushing || connection.Outbound.HasUnsent())
        {
            return;
        }

        // Sending close_notify calls this method again, which then has done the rest.
        if (!connection.Sender.TrySendCloseNotify() || !connection.Lifecycle.IsFlushing || connection.Outbound.HasUnsent())
        {
            return;
        }

        if (connection.Lifecycle.State == ConnectionState.FlushingAfterPeer)
        {
            Finish();
            return;
        }

        // close() with unread input would make the kernel send a reset, and a reset discards what the peer has not
        // read yet. So this side ends only its own direction, and reads on until the peer ends the other one.
        connection.Lifecycle.HalfClose();
        _timer?.Cancel();
        _timer = _isPeerIdle
            ? connection.Loop.StartTimer(IdlePeerGrace, FinishIfIdle)
            : connection.Loop.StartTimer(PeerGrace, Finish);
        connection.Transport.ShutdownSend();
    }

    /// <summary>
    /// Bytes were received and dropped while lingering: the peer is not idle, and a reset could interrupt something it
    /// sends.
    /// </summary>
    internal void OnReceived() => _isPeerIdle = false;

    /// <summary>
    /// The second half of closing, after the last send: the descriptor is released and the queue is complete. Called
    /// once, on the loop, or on the thread that sent last if the loop has ended.
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

        // If nothing was unsent, unacknowledged or unread, a reset takes nothing away from the peer.
        _isPeerIdle = connection.GetUnflushedBytes(connection.Loop) == 0
            && !connection.Outbound.HasUnsent()
            && !connection.Transport.HasUnacknowledged()
            && !connection.Transport.HasUnread();

        // The last flush. It comes before the change to flushing: otherwise the end of this send would shut the
        // direction down, and bytes that another thread flushes meanwhile would be accepted and lost.
        connection.Flush(connection.Loop);
        if (!connection.Lifecycle.IsOpen)
        {
            return;
        }

        // A sender on another thread either sees the new state and calls Advance when it has sent, or this thread sees
        // what it sent.
        lock (connection.Outbound.Queue.Gate)
        {
            connection.Outbound.CompleteAdding();
            connection.Lifecycle.BeginFlushing();
        }

        _timer = connection.Loop.StartTimer(linger, Finish);
        connection.Gate.EndPauses();
        Advance();
    }

    // An idle peer may take long to answer the end of the stream, and a reset cannot lose anything of it meanwhile.
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
