namespace Broker.Transport;

// A connection goes from open through lingering to closed. Each step is taken on the connection's loop; other threads
// read only IsOpen.
public abstract partial class Connection
{
    private const int StateOpen = 0;
    private const int StateFlushing = 1;
    private const int StateHalfClosed = 2;
    private const int StateClosed = 3;

    // How long this side waits, after it has ended its direction, until the peer ends the other one.
    private static readonly TimeSpan PeerGrace = TimeSpan.FromSeconds(1);

    // The same wait for an idle peer: everything that was sent to it is acknowledged, and it sends nothing.
    private static readonly TimeSpan IdlePeerGrace = TimeSpan.FromMilliseconds(10);

    private LoopTimer? _lingerTimer;
    private bool _peerEnded;
    private bool _isPeerIdle;

    /// <summary>Whether this side has been closed and lingers: received bytes are then read and dropped.</summary>
    internal bool IsLingering => _state is StateFlushing or StateHalfClosed;

    internal bool IsClosed => _state == StateClosed;

    /// <summary>Closes the connection for a reason that the transport found. On the loop.</summary>
    internal void CloseOnLoop(CloseReason reason, Exception? error, TimeSpan linger)
    {
        if (_state == StateClosed)
        {
            return;
        }

        if (!_isOpened && !TryCallOnOpened())
        {
            return;
        }

        if (_state == StateOpen)
        {
            _reason = reason;
            _error = error;
        }

        bool orderly = reason == CloseReason.Local && linger > TimeSpan.Zero;
        if (!orderly || _state != StateOpen)
        {
            if (!orderly)
            {
                Finish();
            }

            return;
        }

        if (!TrySecureQueued())
        {
            Finish();
            return;
        }

        // If nothing was unsent, unacknowledged or unread, a reset takes nothing away from the peer.
        _isPeerIdle = _writeBuffers[Loop.Index] is not { Length: > 0 } && !_outbound.HasUnsent() && !HasUnacknowledged() && !HasUnread();

        // The last flush. It comes before the change to lingering: otherwise the end of this send would shut the direction
        // down, and bytes that another thread flushes meanwhile would be accepted and lost.
        if (_writeBuffers[Loop.Index] is { Length: > 0 } buffer)
        {
            FlushBuffer(buffer, Loop);
        }

        if (_state != StateOpen)
        {
            return;
        }

        // A sender on another thread either sees the new state and calls AdvanceLinger when it has sent, or this
        // thread sees what it sent.
        lock (QueueGate)
        {
            _outbound.CompleteAdding();
            _state = StateFlushing;
        }

        _lingerTimer = Loop.StartTimer(linger, Finish);
        ClearPauses();
        AdvanceLinger();
    }

    private bool TrySecureQueued()
    {
        if (Layer is not { IsSecured: false } layer)
        {
            return true;
        }

        if (layer.AwaitsPeer)
        {
            // Queued bytes could leave only after the handshake, and nobody needs the handshake any more.
            return false;
        }

        // From here on received bytes are dropped, so nothing has to be ready for them.
        _outbound.Secure();
        _outbound.Resume(Loop);
        return true;
    }

    // The handler's OnOpened runs before its OnClosed. Returns false if OnOpened closed the connection or threw.
    private bool TryCallOnOpened()
    {
        try
        {
            CallOnOpened();
            return _state != StateClosed;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            return false;
        }
    }

    /// <summary>The peer has ended its direction of the stream. On the loop.</summary>
    private protected void OnPeerEnded()
    {
        if (_state == StateFlushing && !_peerEnded)
        {
            // The peer may still read. The last queued bytes are sent, and then there is nothing to wait for.
            _peerEnded = true;
            lock (QueueGate)
            {
                StopReceiving();
            }

            return;
        }

        if (_state == StateOpen && _writeBuffers[Loop.Index] is { Length: > 0 } buffer)
        {
            // Replies to the peer's last bytes, written in this iteration. The peer may still read them.
            FlushBuffer(buffer, Loop);
        }

        TrySendCloseNotify();

        // The kernel reports a reset once. If the sender got it first, the reader only sees the end of the stream.
        CloseOnLoop(_outbound.HasFailed ? CloseReason.Error : CloseReason.Peer, null, TimeSpan.Zero);
    }

    /// <summary>
    /// Ends this side's direction once the queue is empty. Called on the loop whenever the queue may have become empty
    /// while lingering.
    /// </summary>
    internal void AdvanceLinger()
    {
        if (_state != StateFlushing || _outbound.HasUnsent())
        {
            return;
        }

        // Sending close_notify calls this method again, which then has done the rest.
        if (!TrySendCloseNotify() || _state != StateFlushing || _outbound.HasUnsent())
        {
            return;
        }

        if (_peerEnded)
        {
            Finish();
            return;
        }

        // close() with unread input would make the kernel send a reset, and a reset discards what the peer has not
        // read yet. So this side ends only its own direction, and reads on until the peer ends the other one.
        _state = StateHalfClosed;
        _lingerTimer?.Cancel();
        _lingerTimer = _isPeerIdle ? Loop.StartTimer(IdlePeerGrace, FinishIfIdle) : Loop.StartTimer(PeerGrace, Finish);
        ShutdownSend();
    }

    /// <summary>
    /// Bytes were received and dropped while lingering: the peer is not idle, and a reset could interrupt something it
    /// sends. On the loop.
    /// </summary>
    private protected void OnReceivedAfterEnd() => _isPeerIdle = false;

    // An idle peer may take long to answer the end of the stream, and a reset cannot lose anything of it meanwhile.
    private void FinishIfIdle()
    {
        if (_isPeerIdle && !HasUnread())
        {
            Finish();
        }
        else
        {
            _lingerTimer = Loop.StartTimer(PeerGrace, Finish);
        }
    }

    private void Finish()
    {
        if (_state == StateClosed)
        {
            return;
        }

        _state = StateClosed;
        Loop.AddSpinning(_spinBeforeSleep ? -1 : 0);
        _pauseReasons = PauseReasons.None;
        _lingerTimer?.Cancel();
        _lingerTimer = null;
        _outbound.CancelDeadline();
        _tlsTimer?.Cancel();
        _tlsTimer = null;
        ReleaseInbound();
        if (_outbound.TryStop())
        {
            EndClosing();
        }
    }

    /// <summary>
    /// The second half of closing, after the last send: the descriptor is released and the queue is complete. Called
    /// once, on the loop, or on the thread that sent last if the loop has ended.
    /// </summary>
    internal void EndClosing()
    {
        ReleaseTransport();
        Layer?.Dispose();
        Loop.Group.Remove(this);
        try
        {
            Handler.OnClosed(this, _reason, _error);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Loop.Group.ReportFault(e);
        }

        _outbound.DropQueue();
    }

    private protected abstract void ShutdownSend();

    /// <summary>
    /// Whether the peer's system may not have acknowledged everything that was sent; true if the transport cannot find
    /// out. On the loop.
    /// </summary>
    private protected virtual bool HasUnacknowledged() => true;

    /// <summary>
    /// Whether bytes of the peer are ready to be received; true if the transport cannot find out. On the loop.
    /// </summary>
    private protected virtual bool HasUnread() => true;

    /// <summary>Returns inbound buffers and stops all reading. Called once, on the loop.</summary>
    private protected abstract void ReleaseInbound();

    /// <summary>
    /// Stops receiving after the end of the peer's stream. Called under the lock of the queue, on the loop.
    /// </summary>
    private protected abstract void StopReceiving();

    /// <summary>
    /// Releases the operating system's resources. Called once, on the loop, when no send is running except one that
    /// waits asynchronously in the transport.
    /// </summary>
    private protected abstract void ReleaseTransport();
}
