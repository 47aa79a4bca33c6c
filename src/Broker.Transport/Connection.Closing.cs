namespace Broker.Transport;

// Open → (Lingering) → Closed. Every step is taken on the owning loop; only IsOpen is read elsewhere.
public abstract partial class Connection
{
    private const int StateOpen = 0;
    private const int StateFlushing = 1;
    private const int StateHalfClosed = 2;
    private const int StateClosed = 3;

    // How long the peer may take to answer our end of stream with its own.
    private static readonly TimeSpan PeerGrace = TimeSpan.FromSeconds(1);

    // The same for one that has been sent all there was before, and says nothing.
    private static readonly TimeSpan SilentGrace = TimeSpan.FromMilliseconds(10);

    private LoopTimer? _lingerTimer;
    private bool _peerEnded;
    private bool _isSilent;

    /// <summary>Whether received bytes are read only to be thrown away: this side has said its last word.</summary>
    internal bool IsLingering => _state is StateFlushing or StateHalfClosed;

    internal bool IsClosed => _state == StateClosed;

    /// <summary>Ends the connection from the transport's side. On the loop.</summary>
    internal void CloseOnLoop(CloseReason reason, Exception? error, TimeSpan linger)
    {
        if (_state == StateClosed)
        {
            return;
        }

        if (!_isAnnounced && !TryAnnounce())
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

        if (!TrySecureLastWords())
        {
            Finish();
            return;
        }

        // What the peer's system has acknowledged a reset does not take back where nobody is in the middle of something.
        _isSilent = _stages[Loop.Index] is not { Length: > 0 } && !_outbound.HasUnsent() && !HasUnacknowledged() && !HasUnread();

        // The last that is taken over. Sealed before the state says that this lingers: else the end of the sending here would already
        // shut down, and what another thread hands over until the seal would be accepted for nothing.
        if (_stages[Loop.Index] is { Length: > 0 } stage)
        {
            TakeOver(stage, Loop);
        }

        if (_state != StateOpen)
        {
            return;
        }

        // A sender on another thread either sees the state, and calls AdvanceLinger when it has done, or what it has done is seen here.
        lock (WatchGate)
        {
            _outbound.Seal();
            _state = StateFlushing;
        }

        _lingerTimer = Loop.StartTimer(linger, Finish);
        LiftHolds();
        AdvanceLinger();
    }

    private bool TrySecureLastWords()
    {
        if (Layer is not { IsSecured: false } layer)
        {
            return true;
        }

        if (layer.AwaitsPeer)
        {
            // What is queued could leave only after a handshake that nobody wants any more.
            return false;
        }

        // What comes is thrown away from here on, so nothing has to be ready for it.
        _outbound.Secure();
        _outbound.Resume(Loop);
        return true;
    }

    // A handler hears of the opening before it hears of the end. False when it has closed the connection, or failed to hear.
    private bool TryAnnounce()
    {
        try
        {
            Announce();
            return _state != StateClosed;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            return false;
        }
    }

    /// <summary>The peer has ended its direction. On the loop.</summary>
    private protected void OnPeerEnded()
    {
        if (_state == StateFlushing && !_peerEnded)
        {
            // It may still listen: our last words are sent, and there is nothing to wait for after them.
            _peerEnded = true;
            lock (WatchGate)
            {
                StopReceiving();
            }

            return;
        }

        if (_state == StateOpen && _stages[Loop.Index] is { Length: > 0 } stage)
        {
            // Answers to the peer's last words, of this very turn. It may still listen.
            TakeOver(stage, Loop);
        }

        SayGoodbye();

        // A reset is told once, and to the sender if that was first; the reader then sees a mere end.
        CloseOnLoop(_outbound.HasFailed ? CloseReason.Error : CloseReason.Peer, null, TimeSpan.Zero);
    }

    /// <summary>Called on the loop whenever the queue may have become empty while lingering.</summary>
    internal void AdvanceLinger()
    {
        if (_state != StateFlushing || _outbound.HasUnsent())
        {
            return;
        }

        // Sending it comes back here: then there is nothing left to do.
        if (!SayGoodbye() || _state != StateFlushing || _outbound.HasUnsent())
        {
            return;
        }

        if (_peerEnded)
        {
            Finish();
            return;
        }

        // An immediate close() with unread input would make the kernel send a reset, and a reset discards what the peer
        // has not read yet: our last words. So end our direction only, and read on until the peer ends its own.
        _state = StateHalfClosed;
        _lingerTimer?.Cancel();
        _lingerTimer = _isSilent ? Loop.StartTimer(SilentGrace, FinishIfSilent) : Loop.StartTimer(PeerGrace, Finish);
        ShutdownSend();
    }

    /// <summary>Bytes came that are thrown away: the peer is no idle one, and a reset would reach it in the middle of something. On the loop.</summary>
    private protected void OnHeardAfterEnd() => _isSilent = false;

    // An idle client may take its time to answer an end of stream, and there is nothing that it could lose meanwhile.
    private void FinishIfSilent()
    {
        if (_isSilent && !HasUnread())
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
        Loop.CountHasty(_isHasty ? -1 : 0);
        _holds = Holds.None;
        _lingerTimer?.Cancel();
        _lingerTimer = null;
        _outbound.CancelDeadline();
        _tlsTimer?.Cancel();
        _tlsTimer = null;
        ReleaseInbound();
        if (_outbound.TryRetire())
        {
            EndClosing();
        }
    }

    /// <summary>
    /// The second half of closing, when nobody sends any more: the descriptor is nobody's and the queue is whole. Once, on the loop
    /// or, if that has ended, on the thread that sent last.
    /// </summary>
    internal void EndClosing()
    {
        ReleaseTransport();
        Layer?.Dispose();
        Loop.Group.Forget(this);
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

    /// <summary>Whether the peer's system may miss something that was sent; true where nobody can tell. On the loop.</summary>
    private protected virtual bool HasUnacknowledged() => true;

    /// <summary>Whether bytes of the peer wait to be received. On the loop.</summary>
    private protected virtual bool HasUnread() => true;

    /// <summary>Returns inbound buffers and stops all reading. On the loop, once.</summary>
    private protected abstract void ReleaseInbound();

    /// <summary>Receives no more, for there is nothing more. Under the gate, on the loop.</summary>
    private protected abstract void StopReceiving();

    /// <summary>
    /// Gives the operating system's resources back. Called once, on the loop, when no send is under way any more but one
    /// that waits.
    /// </summary>
    private protected abstract void ReleaseTransport();
}
