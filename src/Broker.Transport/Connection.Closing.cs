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

    private LoopTimer? _lingerTimer;

    /// <summary>Whether received bytes are read only to be thrown away: this side has said its last word.</summary>
    private protected bool IsLingering => _state is StateFlushing or StateHalfClosed;

    private protected bool IsClosed => _state == StateClosed;

    /// <summary>Ends the connection from the transport's side. On the loop.</summary>
    internal void CloseOnLoop(CloseReason reason, Exception? error, TimeSpan linger)
    {
        if (_state == StateClosed)
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

        _state = StateFlushing;
        if (_stages[Loop.Index] is { Length: > 0 } stage)
        {
            TakeOver(stage, Loop);
        }

        if (_state != StateFlushing)
        {
            return;
        }

        _lingerTimer = Loop.StartTimer(linger, Finish);
        AdvanceLinger();
    }

    /// <summary>Called on the loop whenever the queue may have become empty while lingering.</summary>
    private void AdvanceLinger()
    {
        if (_state != StateFlushing || PendingBytes != 0)
        {
            return;
        }

        // An immediate close() with unread input would make the kernel send a reset, and a reset discards what the peer
        // has not read yet: our last words. So end our direction only, and read on until the peer ends its own.
        _state = StateHalfClosed;
        _lingerTimer?.Cancel();
        _lingerTimer = Loop.StartTimer(PeerGrace, Finish);
        ShutdownSend();
    }

    private void Finish()
    {
        if (_state == StateClosed)
        {
            return;
        }

        _state = StateClosed;
        _lingerTimer?.Cancel();
        _lingerTimer = null;
        ReleaseInbound();
        RetireOutbound();
        Loop.Group.Forget(this);
        try
        {
            Handler.OnClosed(this, _reason, _error);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Loop.Group.ReportFault(e);
        }

        DropQueue();
    }

    private protected abstract void ShutdownSend();

    /// <summary>Returns inbound buffers and stops all reading. On the loop, once.</summary>
    private protected abstract void ReleaseInbound();

    /// <summary>Gives the operating system's resources back. Called once, when no send is under way any more.</summary>
    private protected abstract void ReleaseTransport();
}
