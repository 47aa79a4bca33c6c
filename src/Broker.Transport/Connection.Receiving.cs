namespace Broker.Transport;

// The members that handlers call to receive, and the parts that hold the state of the connection.
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
    /// The number of bytes that this side has received so far. It grows with each received byte, also while a message
    /// is incomplete and the handler is not called. With TLS or a protocol's own records, the encrypted bytes count. A
    /// timer that compares two values can detect whether the peer is alive. Any thread. The value may change at any
    /// time.
    /// </summary>
    public long ReceivedBytes => Inbound.ReceivedBytes;

    /// <summary>Whether a pause by <see cref="PauseReceiving"/> is active. On the loop.</summary>
    public bool IsReceivingPaused => Gate.IsPausedByHandler;

    /// <summary>
    /// Whether the connection receives nothing because the group's <see cref="EventLoopGroup.ReceiveBudget"/> is used
    /// up. In this time, a peer cannot answer, because its bytes are not read. On the loop.
    /// </summary>
    public bool IsWaitingForMemory => Gate.IsWaitingForMemory;

    /// <summary>
    /// The limit on the unconsumed bytes that reads collect, for a peer that is not authenticated yet. If a handler
    /// needs more bytes than this, it gets them in small reads. 0, the default, means no limit. On the loop.
    /// </summary>
    public int MaxReadBytes
    {
        get => Inbound.MaxReadBytes;
        set => Inbound.MaxReadBytes = value;
    }

    /// <summary>
    /// Stops receiving and delivering until <see cref="ResumeReceiving"/>. Bytes that were received and not consumed
    /// are kept, including the bytes that the current call of the handler leaves. All other bytes stay in the operating
    /// system, in the pipe or with the peer, so the peer has to wait. On the loop, inside or outside a call of the
    /// handler. Repeated calls have no further effect.
    /// </summary>
    /// <remarks>
    /// <para>When the peer has ended its stream, the connection closes after everything that the peer sent before has
    /// been delivered. So if nothing is left to deliver, the end is reported during a pause. Otherwise it is reported
    /// after the pause. Bytes that were sent before a failure may be lost.</para>
    /// <para>The transports report the end at different times. Sockets on Linux report the end and a reset at once,
    /// even if bytes wait. Portable sockets report the end at once unless bytes wait in the kernel. Pipes report it at
    /// once unless bytes wait in the pipe. In-process links report it at once. With TLS, bytes of TLS itself, such as
    /// close_notify, may wait in the kernel and count as waiting bytes.</para>
    /// <para>A TLS handshake continues during a pause. <see cref="Close"/> ends the pause, and bytes that are received
    /// afterwards are dropped.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void PauseReceiving() => Gate.Pause();

    /// <summary>
    /// Ends a pause. If the handler does not need more bytes than it left unconsumed, it gets these bytes again in a
    /// later iteration of the loop, and never within this call. Then receiving continues. Without a pause, this does
    /// nothing. On the loop.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void ResumeReceiving() => Gate.Resume();

    /// <summary>
    /// Lets other connections run first. The handler gets the bytes that the current call leaves unconsumed again in
    /// the loop's next iteration: after all ready connections and posted actions have run, and after written bytes were
    /// flushed. Before that, this connection receives nothing. Called in <see cref="ConnectionHandler.OnReceived"/>.
    /// </summary>
    /// <remarks>Use this method if a few bytes cause much work, so that one peer does not delay all others.</remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void YieldReceiving() => Gate.Yield();

    /// <summary>
    /// Stops receiving and delivering for a limited time, so that the peer has to wait. After this time, the handler
    /// gets the bytes that the current call leaves unconsumed again. If there are other pauses, receiving continues
    /// when the last pause ends. If a delay is already active, this does nothing. On the loop.
    /// </summary>
    /// <param name="delay">The time, with the precision of <see cref="EventLoop.StartTimer"/>.</param>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void DelayReceiving(TimeSpan delay) => Gate.Delay(delay);

    /// <summary>
    /// Asks for permission to run a costly step: a step that takes a good part of a millisecond, like a command of a
    /// handshake with public-key cryptography. One iteration of the loop runs only a few such steps, counted over all
    /// its connections. So many handshakes at once do not delay other connections. Called in
    /// <see cref="ConnectionHandler.OnReceived"/>.
    /// </summary>
    /// <returns>
    /// True if the step may run now. False if the step must wait. The handler must then leave the bytes of the step
    /// unconsumed. It gets them again in a later iteration, in the order in which the connections asked. Before that,
    /// this connection receives nothing.
    /// </returns>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public bool TryBeginCostlyStep() => Gate.TryBeginCostlyStep();

    /// <summary>
    /// Closes the connection with a linger time, like <see cref="Close"/>, but receives nothing more. So a peer that is
    /// refused in the middle of a message cannot send the rest of the message or later bytes, and notices this. On the
    /// loop.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void CloseUnread(TimeSpan linger) => Gate.CloseUnread(linger);

    /// <summary>
    /// Reports how many messages the current call of the handler has processed. While other connections wait for
    /// replies, a handler that reports this in each call is delayed according to its number of messages
    /// (<see cref="EventLoopOptions.BulkPause"/>): longer for many small messages than for a few large messages. Called
    /// in <see cref="ConnectionHandler.OnReceived"/>, any number of times.
    /// </summary>
    /// <param name="count">The number of messages; 0 if the call has processed only a part of a message.</param>
    public void CountMessages(int count) => Loop.MessagesHandled = Math.Max(0, Loop.MessagesHandled) + count;

    /// <summary>The members of a transport that the code for receiving and closing calls.</summary>
    internal IInboundTransport Transport { get; }

    internal ref ConnectionLifecycle Lifecycle => ref _lifecycle;

    internal ref SpinRequest Spinning => ref _spinning;

    internal bool IsClosed => _lifecycle.IsClosed;

    /// <summary>Whether this side is closed and lingers. Received bytes are then read and dropped.</summary>
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

    /// <summary>Closes the connection for a reason that the transport has detected. On the loop.</summary>
    internal void CloseOnLoop(CloseReason reason, Exception? error, TimeSpan linger)
        => Closing.Close(reason, error, linger);

    /// <summary>If the connection lingers and everything is sent, ends this side's direction. On the loop.</summary>
    internal void AdvanceLinger() => _closing?.Advance();

    /// <inheritdoc cref="ClosingProcedure.End"/>
    internal void EndClosing() => Closing.End();

    /// <summary>Called by the transport when the peer accepts bytes again. On the loop.</summary>
    internal void OnWritable() => Sender.OnWritable();

    /// <summary>
    /// Called by the poller when there is something to receive. <paramref name="ready"/> is the number of connections
    /// that can receive now. On the loop.
    /// </summary>
    internal abstract void OnReadable(int ready);
}
