namespace Broker.Transport;

// What transports and the connection's parts use. Each part owns its state: the lifecycle, the closing procedure, the
// receive gate, the inbound buffer, the write buffers, the outbound pump and the TLS handshake.
public abstract partial class Connection
{
    private readonly OutboundSender _sender;
    private readonly InboundBuffer _inbound;
    private WriteBufferSet _writeBuffers;
    private ConnectionLifecycle _lifecycle;
    private ReceiveGate _gate;
    private ClosingProcedure? _closing;
    private SecurityUpgrade? _security;
    private bool _spinBeforeSleep = true;

    /// <summary>A derived class implements <see cref="IOutboundTransport"/>.</summary>
    private protected Connection(EventLoop loop, ConnectionHandler handler)
    {
        Loop = loop;
        Handler = handler;
        _writeBuffers = new WriteBufferSet(loop.Group.Count);
        _inbound = new InboundBuffer(this, handler);
        _sender = new OutboundSender(this, (IOutboundTransport)this);
    }

    internal ref ConnectionLifecycle Lifecycle => ref _lifecycle;

    internal bool IsClosed => _lifecycle.IsClosed;

    /// <summary>Whether this side has been closed and lingers: received bytes are then read and dropped.</summary>
    internal bool IsLingering => _lifecycle.IsLingering;

    internal ClosingProcedure Closing => _closing ??= new ClosingProcedure(this);

    internal OutboundSender Sender => _sender;

    internal OutboundPump Outbound => _sender.Pump;

    internal InboundBuffer Inbound => _inbound;

    internal SecurityLayer? Layer => Outbound.Layer;

    internal SharedBlockPool SharedBlocks => Loop.Group.SharedBlocks;

    /// <summary>
    /// Whether nothing may be received or delivered now. During a handshake nothing is passed to the handler, so the
    /// handler's pause does not apply. On the loop.
    /// </summary>
    internal bool IsInboundPaused
        => _gate.HasReasons && (Layer is not { IsSecured: false } || _gate.IsPausedByHandshake);

    /// <summary>Whether the pause ends in the loop's next iteration. On the loop.</summary>
    private protected bool IsYielded => _gate.IsYielded;

    /// <summary>Orders calls of <see cref="IOutboundTransport.ArmWritable"/> with other calls to the poller.</summary>
    private protected Lock QueueGate => Outbound.Queue.Gate;

    internal virtual bool CanCarryLayers => false;

    /// <summary>Calls <see cref="ConnectionHandler.OnOpened"/> and starts to receive. On the loop.</summary>
    internal void Open()
    {
        // The handler may close the connection, and its descriptor may then belong to another one already.
        if (!IsClosed && TryCallOnOpened())
        {
            try
            {
                StartReceiving();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            }
        }
    }

    /// <summary>
    /// Calls the handler's <see cref="ConnectionHandler.OnOpened"/> unless it was called before. Returns false if the
    /// connection is closed then. On the loop.
    /// </summary>
    internal bool TryCallOnOpened()
    {
        if (!_lifecycle.IsAnnounced)
        {
            _lifecycle.Open();
            Loop.AddSpinning(_spinBeforeSleep ? 1 : 0);
            try
            {
                Handler.OnOpened(this);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            }
        }

        return !IsClosed;
    }

    /// <summary>Closes the connection for a reason that the transport found. On the loop.</summary>
    internal void CloseOnLoop(CloseReason reason, Exception? error, TimeSpan linger)
    {
        if (!IsClosed)
        {
            Closing.Close(reason, error, linger);
        }
    }

    /// <summary>
    /// Closes the connection after an exception outside a handler's call; the loop continues. On the loop.
    /// </summary>
    internal void Fail(Exception error)
    {
        Loop.Group.ReportFault(error);
        try
        {
            CloseOnLoop(CloseReason.Error, error, TimeSpan.Zero);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Loop.Group.ReportFault(e);
        }
    }

    /// <summary>Ends this side's direction if the connection lingers and everything is sent. On the loop.</summary>
    internal void AdvanceLinger()
    {
        if (IsLingering)
        {
            Closing.Advance();
        }
    }

    /// <summary>The first half of closing: stops timers and all receiving. On the loop, once.</summary>
    internal void StopTimersAndReceiving()
    {
        Loop.AddSpinning(_spinBeforeSleep ? -1 : 0);
        _gate.Clear();
        Outbound.Deadline.Cancel();
        _security?.Cancel();
        ReleaseInbound();
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
            Handler.OnClosed(this, _lifecycle.Reason, _lifecycle.Error);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Loop.Group.ReportFault(e);
        }

        Outbound.DropQueue();
    }

    /// <summary>The loop delivers the unconsumed bytes again. On the loop.</summary>
    internal void DeliverAfterYield()
    {
        // The handler may have paused or closed the connection since, or the connection is in the list twice.
        if (!IsClosed && _gate.TryEndYield() && !IsInboundPaused)
        {
            ContinueReceiving();
        }
    }

    /// <summary>
    /// Ends all pauses: received bytes are dropped from now on, and must be read for that. On the loop.
    /// </summary>
    internal void ClearPauses()
    {
        if (_gate.Clear())
        {
            RearmReceive();
        }
    }

    /// <summary>The peer has ended its stream, and this side does not close yet. On the loop.</summary>
    internal void EndReceiving()
    {
        _lifecycle.EndPeer();
        lock (QueueGate)
        {
            StopReceiving();
        }
    }

    /// <summary>The peer accepts bytes again. On the loop.</summary>
    internal void OnWritable() => _sender.OnWritable();

    internal void PostTlsStarved() => Loop.Post(OnTlsStarved);

    /// <summary>
    /// There is something to receive. <paramref name="ready"/> is the number of connections that have something to
    /// receive now. On the loop.
    /// </summary>
    internal abstract void OnReadable(int ready);

    /// <summary>Ends this side's direction of the stream. On the loop.</summary>
    internal abstract void ShutdownSend();

    /// <summary>
    /// Whether the peer's system may not have acknowledged everything that was sent; true if the transport cannot find
    /// out. On the loop.
    /// </summary>
    internal virtual bool HasUnacknowledged() => true;

    /// <summary>
    /// Whether bytes of the peer are ready to be received; true if the transport cannot find out. On the loop.
    /// </summary>
    internal virtual bool HasUnread() => true;

    /// <summary>
    /// Passes the received, unconsumed bytes to the layer. On the loop, possibly in a call of the handler.
    /// </summary>
    internal virtual void OnLayerInserted()
    {
    }

    /// <summary>Decrypts and delivers the bytes that were received before the layer was ready. On the loop.</summary>
    internal virtual void OnLayerSecured(SecurityLayer layer)
    {
    }

    /// <summary>The peer has ended its direction of the stream. On the loop.</summary>
    private protected void OnPeerEnded() => Closing.OnPeerEnded();

    /// <summary>
    /// The peer's stream ended during the handshake. The handshake now fails with its own error. On the loop.
    /// </summary>
    private protected void EndWhileHandshaking(SecurityLayer layer)
    {
        EndReceiving();
        layer.EndHandshakeFeed();
    }

    /// <summary>Bytes were received and dropped while lingering. On the loop.</summary>
    private protected void OnReceivedAfterEnd() => _closing?.OnReceived();

    /// <summary>
    /// Pauses receiving when the TLS handshake has enough bytes, and resumes it when the handshake has used them. On
    /// the loop.
    /// </summary>
    private protected void PauseForHandshake(bool enough)
    {
        if (enough)
        {
            _gate.PauseForHandshake();
        }
        else if (_gate.TryResumeHandshake())
        {
            RearmReceive();
        }
    }

    private protected abstract void StartReceiving();

    /// <summary>
    /// Delivers the unconsumed bytes, then continues to receive. On the loop, while no pause is in force.
    /// </summary>
    private protected abstract void ContinueReceiving();

    /// <summary>Asks the transport again to report readable bytes, if it had stopped. On the loop.</summary>
    private protected abstract void RearmReceive();

    /// <summary>
    /// The handler has paused: for transports that must ask for a report of the stream's end. On the loop.
    /// </summary>
    private protected virtual void OnPaused()
    {
    }

    /// <summary>The handshake has used all received bytes. On the loop.</summary>
    private protected virtual void OnTlsStarved()
    {
    }

    /// <summary>
    /// Stops receiving after the end of the peer's stream. Called under the lock of the queue, on the loop.
    /// </summary>
    private protected abstract void StopReceiving();

    /// <summary>Returns inbound buffers and stops all reading. Called once, on the loop.</summary>
    private protected abstract void ReleaseInbound();

    /// <summary>
    /// Releases the operating system's resources. Called once, on the loop, when no send is running except one that
    /// waits asynchronously in the transport.
    /// </summary>
    private protected abstract void ReleaseTransport();
}
