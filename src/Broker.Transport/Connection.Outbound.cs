namespace Broker.Transport;

// What users and transports see of sending. OutboundSender owns the queue and decides which thread sends.
public abstract partial class Connection
{
    private readonly OutboundSender _outbound;

    /// <summary>
    /// How much memory may wait for the peer, measured as <see cref="BufferedBytes"/>. If more waits, the connection is
    /// closed with <see cref="CloseReason.QueueFull"/>. Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes
    {
        get => _outbound.MaxPendingBytes;
        set => _outbound.MaxPendingBytes = value;
    }

    /// <summary>
    /// A mark below <see cref="MaxPendingBytes"/> at which a writer may continue. <see
    /// cref="ConnectionHandler.OnLowWater"/> is called once when <see cref="BufferedBytes"/> falls to the mark or below
    /// it, after a flush had raised it above the mark or after it was above the mark when the mark was set. 0, the
    /// default, for no mark. Any thread.
    /// </summary>
    /// <remarks>
    /// While the queue shrinks, the amount of ciphertext changes and may raise <see cref="BufferedBytes"/> above the
    /// mark again after the call. The handler is not called a second time for this, unless <see
    /// cref="RequestLowWater"/> asks for it.
    /// </remarks>
    public long LowWaterBytes
    {
        get => _outbound.LowWaterBytes;
        set => _outbound.LowWaterBytes = value;
    }

    /// <summary>
    /// How long the peer may accept no bytes while bytes wait for it. Default 10 s; <see
    /// cref="Timeout.InfiniteTimeSpan"/> for no limit. The value is read when the queue first has to wait for the
    /// peer.
    /// </summary>
    public TimeSpan WriteDeadline
    {
        get => _outbound.WriteDeadline;
        set => _outbound.WriteDeadline = value;
    }

    /// <summary>
    /// Finds where messages begin and end in the bytes written to this connection, for <see cref="DropOldest"/> and
    /// <see cref="CountUnsent"/>. Set it before the first message is written. If it is null, the default, the
    /// connection does not distinguish messages.
    /// </summary>
    public IOutboundFraming? Framing { get; set; }

    /// <summary>
    /// The number of bytes that were flushed and that neither the kernel nor the in-process peer has accepted yet. Any
    /// thread; the value may change at once.
    /// </summary>
    public long PendingBytes => _outbound.Queue.PendingBytes;

    /// <summary>
    /// The memory that waits for the peer: <see cref="PendingBytes"/>, the unused space between them, and their
    /// ciphertext. The queue uses at most the unused parts of two blocks beyond that. Any thread; the value may change
    /// at once.
    /// </summary>
    public long BufferedBytes => _outbound.Queue.BufferedBytes;

    /// <summary>The number of bytes that the kernel or the in-process peer has accepted so far. Any thread.</summary>
    public long SentBytes => _outbound.Queue.SentBytes;

    /// <summary>
    /// All bytes flushed so far and not dropped: the sum of <see cref="SentBytes"/> and <see cref="PendingBytes"/> at
    /// one moment. Any thread; takes the lock of the queue.
    /// </summary>
    public long FlushedBytes
    {
        get
        {
            lock (_outbound.Queue.Gate)
            {
                return _outbound.Queue.SentBytes + _outbound.Queue.PendingBytes;
            }
        }
    }

    internal OutboundSender Outbound => _outbound;

    /// <summary>
    /// Orders the calls of <see cref="ArmWritable"/> and <see cref="DisarmWritable"/> with other calls to the poller.
    /// </summary>
    private protected Lock QueueGate => _outbound.Queue.Gate;

    /// <summary>
    /// Asks for one call of <see cref="ConnectionHandler.OnLowWater"/>, which is made if the connection stays open:
    /// when <see cref="BufferedBytes"/> next falls to <see cref="LowWaterBytes"/>, or, if it is not above that now, as
    /// soon as nothing waits for the peer. For a writer that found no space and waits for the call: its message may be
    /// too large for the space above the mark. Any thread.
    /// </summary>
    public void RequestLowWater() => _outbound.RequestLowWater();

    /// <summary>
    /// The number of bytes that <paramref name="loop"/> has written for this connection and not flushed yet. On that
    /// loop's thread.
    /// </summary>
    public long GetUnflushedBytes(EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        return _writeBuffers[loop.Index]?.Length ?? 0;
    }

    /// <summary>
    /// Closes the connection with <see cref="CloseReason.QueueFull"/> and drops what is queued: for a limit that the
    /// caller checks itself, for example over several connections. Any thread.
    /// </summary>
    public void CloseForFullQueue() => Loop.PostClose(this, CloseReason.QueueFull);

    /// <summary>
    /// Drops the messages that have waited longest, until <paramref name="bytes"/> bytes are dropped or no more can be
    /// dropped. Blocks that are partly sent, partly encrypted or being sent are kept, so the peer never receives a
    /// part of a message. Without a <see cref="Framing"/> nothing is dropped. Any thread of the group.
    /// </summary>
    /// <param name="bytes">How many bytes to drop, if that many can be dropped.</param>
    /// <param name="loop">The caller's loop; it gets the blocks back.</param>
    /// <returns>The dropped messages and bytes.</returns>
    public OutboundCount DropOldest(long bytes, EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        return Framing is { } framing ? _outbound.Drop(bytes, framing, loop) : default;
    }

    /// <summary>
    /// Counts what was flushed and could not be sent, including what was flushed after <see cref="MaxPendingBytes"/>
    /// had been reached. Encrypted bytes count as unsent unless their whole chunk (at most 64 KiB) was sent. Call it
    /// in <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountUnsent()
    {
        lock (_outbound.Queue.Gate)
        {
            return _outbound.Queue.CountUnsent(Framing);
        }
    }

    /// <summary>
    /// Counts what is queued and was certainly not sent completely. It does not count encrypted bytes, which may have
    /// been sent in part, nor bytes that a running send may have sent, nor discarded bytes (<see
    /// cref="ConnectionHandler.OnDiscarded"/>). Call it in <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountCertainlyUnsent() => _outbound.CountCertainlyUnsent(Framing);

    /// <summary>
    /// Flushes and sends what <paramref name="loop"/> has written for this connection, before the end of the loop's
    /// iteration: for a writer that wants to know how much the peer accepts. On that loop's thread. No handler method
    /// is called except <see cref="ConnectionHandler.OnDiscarded"/>.
    /// </summary>
    public void Flush(EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        if (_writeBuffers[loop.Index] is { Length: > 0 } buffer)
        {
            FlushBuffer(buffer, loop);
        }
    }

    /// <summary>
    /// Removes the messages that were written on this connection's loop and can no longer be sent, so that the caller
    /// can send them elsewhere. It returns whole messages as <see cref="Framing"/> divides them, oldest first,
    /// including a message whose first part was sent, but not bytes that the system may have sent. Call it in <see
    /// cref="ConnectionHandler.OnClosed"/>. These messages are not reported as discarded.
    /// </summary>
    public void TakeUnsent(IUnsentMessages unsent)
    {
        ArgumentNullException.ThrowIfNull(unsent);
        if (Framing is { } framing)
        {
            _outbound.VisitUnsent(framing, unsent);
            if (_writeBuffers[Loop.Index] is { Length: > 0 } buffer)
            {
                OutboundSender.Discard(buffer, framing, unsent);
            }
        }
    }

    internal void FlushBuffer(LoopWriteBuffer buffer, EventLoop? loop) => _outbound.Flush(buffer, loop);

    /// <summary>The peer accepts bytes again. On the loop.</summary>
    internal void OnWritable() => _outbound.OnWritable();

    /// <inheritdoc cref="OutboundSender.RepeatWatch"/>
    private protected void RepeatArmWritable() => _outbound.RepeatWatch();

    /// <summary>
    /// Closes the connection after a failed send. Bytes that the peer sent before are still received. On the loop.
    /// </summary>
    internal void EndAfterFailedSend()
    {
        if (!IsClosed)
        {
            OnReadable(1);
            CloseOnLoop(CloseReason.Error, _outbound.Layer?.Fault, TimeSpan.Zero);
        }
    }

    internal void NotifyDiscarded(ReadOnlySpan<byte> written)
    {
        try
        {
            Handler.OnDiscarded(this, written);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Loop.Group.ReportFault(e);
        }
    }

    internal void NotifyDrained() => Notify(static connection => connection.Handler.OnDrained(connection));

    internal void NotifyLowWater() => Notify(static connection => connection.Handler.OnLowWater(connection));

    /// <summary>
    /// Sends what the transport accepts of the chain, up to about <see cref="SentTally.MaxBytes"/> bytes, and returns
    /// sent blocks to the pool. Adds to the tally, which is empty at the call. Called by one thread at a time. Returns
    /// the first block that is not completely sent.
    /// </summary>
    internal abstract Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome);

    /// <summary>
    /// Asks the transport to call <see cref="OnWritable"/>, on the loop, when the peer accepts bytes again. Under the
    /// lock of the queue, any thread.
    /// </summary>
    internal abstract void ArmWritable();

    /// <summary>Cancels that request. Under the lock of the queue, on the loop.</summary>
    internal abstract void DisarmWritable();

    private void Notify(Action<Connection> call)
    {
        if (!IsOpen)
        {
            return;
        }

        try
        {
            call(this);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }
    }
}
