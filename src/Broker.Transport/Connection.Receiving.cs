namespace Broker.Transport;

// The members that handlers call to receive, and the parts that own the state of the connection.
public abstract partial class Connection
{
    private WriteBufferSet _writeBuffers;
    private ConnectionLifecycle _lifecycle;
    private SpinRequest _spinning = new();
    private ClosingProcedure? _closing;

    /// <summary>
    /// A derived class implements <see cref="IInboundTransport"/> and <see cref="IOutboundTransport"/>.
    /// </summary>
    private protected Connection(EventLoop loop, ConnectionHandler handler)
    {
        Loop = loop;
        Handler = handler;
        Transport = (IInboundTransport)this;
        _writeBuffers = new WriteBufferSet(loop.Group.Count);
        Gate = new ReceiveGate(this);
        Inbound = new InboundBuffer(this, handler);
        Sender = new OutboundSender(this, (IOutboundTransport)this);
    }

    /// <summary>
    /// The number of bytes that the peer has sent and this side has received so far. It grows with each received byte,
    /// also while a message is incomplete and the handler is not called. With TLS and records these are the encrypted
    /// bytes. So a timer that compares two values knows whether the peer lives. Any thread; the value may change at
    /// once.
    /// </summary>
    public long ReceivedBytes => Inbound.ReceivedBytes;

    /// <summary>Whether <see cref="PauseReceiving"/> is in force. On the loop.</summary>
    public bool IsReceivingPaused => Gate.IsPausedByHandler;

    /// <summary>
    /// Whether nothing is received because the group's <see cref="EventLoopGroup.ReceiveBudget"/> is used up. A peer
    /// whose bytes are not read cannot answer. On the loop.
    /// </summary>
    public bool IsWaitingForMemory => Gate.IsWaitingForMemory;

    /// <summary>
    /// The most unconsumed bytes that reads collect, for a peer that is not authenticated yet. A handler that needs more
    /// gets them in small reads. 0, the default, for no limit. On the loop.
    /// </summary>
    public int MaxReadBytes
    {
        get => Inbound.MaxReadBytes;
        set => Inbound.MaxReadBytes = value;
    }

    /// <summary>
    /// Stops receiving and delivering until <see cref="ResumeReceiving"/>. Bytes that were received and not consumed
    /// are kept, including those that the current call leaves. All other bytes stay with the operating system, the
    /// pipe or the peer, so the peer has to wait. On the loop, inside or outside a call of the handler; it may be
    /// called repeatedly.
    /// </summary>
    /// <remarks>
    /// <para>The end of the peer's stream closes the connection once everything that the peer sent before it has been
    /// delivered. So the end is reported during a pause if nothing is left to deliver, and after the pause otherwise.
    /// Bytes that were sent before a failure may be lost.</para>
    /// <para>The transports differ in how soon they report the end. Sockets on Linux report it at once, whatever
    /// waits, and a reset too. Portable sockets report it at once unless bytes wait in the kernel. Pipes report it at
    /// once unless bytes wait in the pipe. In-process links report it at once. Over TLS, bytes of TLS itself, such as
    /// close_notify, may wait in the kernel and count as waiting bytes.</para>
    /// <para>A TLS handshake continues during a pause. <see cref="Close"/> ends the pause; bytes that are received
    /// afterwards are dropped.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void PauseReceiving() => Gate.Pause();

    /// <summary>
    /// Ends a pause. The handler gets the unconsumed bytes again, unless it needs more of them, in a later iteration
    /// of the loop and never within this call; then receiving continues. On the loop. It does nothing if there is no
    /// pause.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void ResumeReceiving() => Gate.Resume();

    /// <summary>
    /// Lets other connections run first. The bytes that the current call leaves unconsumed are passed to the handler
    /// again in the loop's next iteration, after all ready connections and posted actions have run and written bytes
    /// were flushed. Nothing is received for this connection before that. Called in
    /// <see cref="ConnectionHandler.OnReceived"/>.
    /// </summary>
    /// <remarks>Use it if a few bytes cause much work, so that one peer does not delay all others.</remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void YieldReceiving() => Gate.Yield();

    /// <summary>
    /// Stops receiving and delivering for a limited time, so that the peer has to wait. The bytes that the current call
    /// leaves unconsumed are passed to the handler again after it. Other pauses are not affected: receiving continues
    /// when the last of them ends. Does nothing if a delay is in force already. On the loop.
    /// </summary>
    /// <param name="delay">The time, with the precision of <see cref="EventLoop.StartTimer"/>.</param>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void DelayReceiving(TimeSpan delay) => Gate.Delay(delay);

    /// <summary>
    /// Asks to run a costly step: one that takes a good part of a millisecond, like a command of a handshake with
    /// public-key cryptography. One iteration of the loop runs a few such steps of all its connections together, so
    /// that many handshakes at once do not delay other connections. Called in
    /// <see cref="ConnectionHandler.OnReceived"/>.
    /// </summary>
    /// <returns>
    /// True if the step may run now. False if it must wait: the handler then leaves the bytes of the step unconsumed,
    /// and gets them again in a later iteration, in the order in which the connections asked. Nothing is received for
    /// this connection before that.
    /// </returns>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public bool TryBeginCostlyStep() => Gate.TryBeginCostlyStep();

    /// <summary>
    /// Closes the connection with a linger time, as <see cref="Close"/> does, but receives nothing more. So a peer that
    /// is refused in the middle of a message cannot send the rest of it, or anything behind it, and knows that. On the
    /// loop.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void CloseUnread(TimeSpan linger) => Gate.CloseUnread(linger);

    /// <summary>
    /// Reports how many messages the current call of the handler has processed. A handler that reports this in each
    /// call is delayed according to its number of messages while other connections wait for replies
    /// (<see cref="EventLoopOptions.BulkPause"/>): longer for many small messages than for a few large ones. Called in
    /// <see cref="ConnectionHandler.OnReceived"/>, any number of times.
    /// </summary>
    /// <param name="count">The number of messages; 0 for a part of a message.</param>
    public void CountMessages(int count) => Loop.MessagesHandled = Math.Max(0, Loop.MessagesHandled) + count;

    /// <summary>The members of a transport that receiving and closing call.</summary>
    internal IInboundTransport Transport { get; }

    internal ref ConnectionLifecycle Lifecycle => ref _lifecycle;

    internal ref SpinRequest Spinning => ref _spinning;

    internal bool IsClosed => _lifecycle.IsClosed;

    /// <summary>Whether this side has been closed and lingers: received bytes are then read and dropped.</summary>
    internal bool IsLingering => _lifecycle.IsLingering;

    internal ClosingProcedure Closing => _closing ??= new ClosingProcedure(this);

    internal OutboundSender Sender { get; }

    internal OutboundPump Outbound => Sender.Pump;

    internal InboundBuffer Inbound { get; }

    internal ReceiveGate Gate { get; }

    /// <inheritdoc cref="InboundBuffer.Memory"/>
    internal ReceiveMemory ReceiveMemory => Inbound.Memory;

    /// <inheritdoc cref="InboundBuffer.MemoryIfUsed"/>
    internal ReceiveMemory? MemoryIfUsed => Inbound.MemoryIfUsed;

    /// <summary>The TLS handshake, if TLS was started.</summary>
    internal SecurityUpgrade? Security { get; set; }

    internal SecurityLayer? Layer => Outbound.Layer;

    /// <inheritdoc cref="ConnectionOpening.Open"/>
    internal void Open() => ConnectionOpening.Open(this);

    /// <summary>Closes the connection for a reason that the transport found. On the loop.</summary>
    internal void CloseOnLoop(CloseReason reason, Exception? error, TimeSpan linger)
        => Closing.Close(reason, error, linger);

    /// <summary>Ends this side's direction if the connection lingers and everything is sent. On the loop.</summary>
    internal void AdvanceLinger() => _closing?.Advance();

    /// <inheritdoc cref="ClosingProcedure.End"/>
    internal void EndClosing() => Closing.End();

    /// <summary>The peer accepts bytes again. On the loop.</summary>
    internal void OnWritable() => Sender.OnWritable();

    /// <summary>
    /// There is something to receive. <paramref name="ready"/> is the number of connections that have something to
    /// receive now. On the loop.
    /// </summary>
    internal abstract void OnReadable(int ready);
}
