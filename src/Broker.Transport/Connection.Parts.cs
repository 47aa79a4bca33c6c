namespace Broker.Transport;

// What transports and the connection's parts use. Each part owns its state: the lifecycle, the closing procedure, the
// receive gate, the inbound buffer, the write buffers, the outbound pump and the TLS handshake.
public abstract partial class Connection
{
    private readonly OutboundSender _sender;
    private readonly InboundBuffer _inbound;
    private WriteBufferSet _writeBuffers;
    private ConnectionLifecycle _lifecycle;
    private ClosingProcedure? _closing;
    private SecurityUpgrade? _security;
    private SpinRequest _spinning = new();
    private long _receivedBytes;

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

    /// <inheritdoc cref="InboundBuffer.Memory"/>
    internal ReceiveMemory ReceiveMemory => _inbound.Memory;

    /// <inheritdoc cref="InboundBuffer.MemoryIfUsed"/>
    internal ReceiveMemory? MemoryIfUsed => _inbound.MemoryIfUsed;

    internal SecurityLayer? Layer => Outbound.Layer;

    internal SharedBlockPool SharedBlocks => Loop.Group.SharedBlocks;

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
            _spinning.Open(Loop);
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
        _spinning.Close(Loop);
        _gate.Clear();
        Outbound.Deadline.Cancel();
        _security?.Cancel();
        ReleaseInbound();
    }

    /// <inheritdoc cref="ClosingProcedure.End"/>
    internal void EndClosing() => Closing.End();

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

    /// <summary>Counts bytes for <see cref="ReceivedBytes"/>. On the loop.</summary>
    private protected void CountReceived(int bytes) => _receivedBytes += bytes;

    /// <summary>The peer has ended its direction of the stream. On the loop.</summary>
    private protected void OnPeerEnded() => Closing.OnPeerEnded();

    /// <summary>Bytes were received and dropped while lingering. On the loop.</summary>
    private protected void OnReceivedAfterEnd() => _closing?.OnReceived();

    private protected abstract void StartReceiving();

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
    internal abstract void ReleaseTransport();
}
