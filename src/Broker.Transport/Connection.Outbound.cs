using Broker.Transport.Buffers;
using Broker.Transport.Outbound;

namespace Broker.Transport;

// What users and transports see of sending; the queue and who may send it are OutboundSender's.
public abstract partial class Connection
{
    private readonly OutboundSender _outbound;

    /// <summary>
    /// How much may wait for the peer, counted as <see cref="HeldBytes"/>, before the connection is closed with
    /// <see cref="CloseReason.QueueFull"/>. Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes
    {
        get => _outbound.MaxPendingBytes;
        set => _outbound.MaxPendingBytes = value;
    }

    /// <summary>
    /// A mark below the limit at which a writer may go on: when <see cref="HeldBytes"/> has risen above it by what was handed over, or was
    /// above it when it was set, and falls to it or below, <see cref="ConnectionHandler.OnLowWater"/> is called, once for each time. 0, the
    /// default, for none. Any thread.
    /// </summary>
    /// <remarks>
    /// Ciphertext that comes and goes while the queue falls may lift it above the mark again after the call. That is not told of unless
    /// <see cref="RequestLowWater"/> asks.
    /// </remarks>
    public long LowWaterBytes
    {
        get => _outbound.LowWaterBytes;
        set => _outbound.LowWaterBytes = value;
    }

    /// <summary>
    /// How long the peer may take nothing while bytes wait for it. Default 10 s; <see cref="Timeout.InfiniteTimeSpan"/>
    /// for no limit. Read when the peer first holds up the queue.
    /// </summary>
    public TimeSpan WriteDeadline
    {
        get => _outbound.WriteDeadline;
        set => _outbound.WriteDeadline = value;
    }

    /// <summary>
    /// Where messages begin and end in what is written to this connection, for <see cref="DropOldest"/> and <see cref="CountUnsent"/>.
    /// Set it before the first message is written; without one there are no messages. Default null.
    /// </summary>
    public IOutboundFraming? Framing { get; set; }

    /// <summary>Bytes handed over and not yet taken by the kernel or the in-process peer. Any thread, a moment's truth.</summary>
    public long PendingBytes => _outbound.Queue.PendingBytes;

    /// <summary>
    /// The memory that waits for the peer: <see cref="PendingBytes"/>, the room between them that nothing more is written to, and their
    /// ciphertext. Beyond that the queue holds no more than what is left of two blocks. Any thread, a moment's truth.
    /// </summary>
    public long HeldBytes => _outbound.Queue.HeldBytes;

    /// <summary>Bytes taken by the kernel or the in-process peer so far. Any thread.</summary>
    public long SentBytes => _outbound.Queue.SentBytes;

    /// <summary>
    /// All bytes handed over so far and not dropped: <see cref="SentBytes"/> and <see cref="PendingBytes"/> as of one moment. Any thread; takes the
    /// queue's lock.
    /// </summary>
    public long HandedOverBytes
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

    /// <summary>Orders the calls of <see cref="ArmWritable"/> and <see cref="DisarmWritable"/> with others to the poller.</summary>
    private protected Lock WatchGate => _outbound.Queue.Gate;

    /// <summary>
    /// Asks for one call of <see cref="ConnectionHandler.OnLowWater"/> for sure, as long as the connection is open: when
    /// <see cref="HeldBytes"/> next falls to <see cref="LowWaterBytes"/>; where it is not above that, once nothing waits, which may be now.
    /// For a writer that was refused room and will wait for the call: its message may not fit beside what is below the mark. Any thread.
    /// </summary>
    public void RequestLowWater() => _outbound.RequestLowWater();

    /// <summary>Bytes that <paramref name="loop"/> has written for this connection in the present turn. On that loop's thread.</summary>
    public long StagedBytes(EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        return _stages[loop.Index]?.Length ?? 0;
    }

    /// <summary>
    /// Closes the connection with <see cref="CloseReason.QueueFull"/>, for a bound of the caller's own, as over several connections together;
    /// what is queued is dropped. Any thread.
    /// </summary>
    public void CloseForFullQueue() => Loop.PostClose(this, CloseReason.QueueFull);

    /// <summary>
    /// Takes the messages that have waited longest out of the queue, until <paramref name="bytes"/> are gone or there is no more.
    /// A block that was sent or encrypted in part, or is being sent, stays: the peer never sees half of anything. Without
    /// a <see cref="Framing"/> nothing is dropped. Any thread of the group.
    /// </summary>
    /// <param name="bytes">How many bytes to let go, at least if possible.</param>
    /// <param name="loop">The caller's loop, which gets the blocks back.</param>
    /// <returns>What was let go.</returns>
    public OutboundCount DropOldest(long bytes, EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        return Framing is { } framing ? _outbound.Drop(bytes, framing, loop) : default;
    }

    /// <summary>
    /// Counts what was handed over and could not be sent, including what came after <see cref="MaxPendingBytes"/> had been reached. What
    /// was encrypted and not sent to the end of its chunk, of at most 64 KiB, counts as not sent. Call it in
    /// <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountUnsent()
    {
        lock (_outbound.Queue.Gate)
        {
            return _outbound.Queue.CountUnsent(Framing);
        }
    }

    /// <summary>
    /// Counts what is queued and has certainly not been sent to its end: not what is encrypted, of which the peer may have been sent a part,
    /// nor what a send under way may have taken. What was discarded (<see cref="ConnectionHandler.OnDiscarded"/>) is not in it. Call
    /// it in <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    public OutboundCount CountCertainlyUnsent() => _outbound.CountCertainlyUnsent(Framing);

    /// <summary>
    /// Hands over and sends what <paramref name="loop"/> has staged for this connection, before the end of its turn: for a writer that
    /// wants to know how much the peer takes. On that loop's thread; no handler is called but <see cref="ConnectionHandler.OnDiscarded"/>.
    /// </summary>
    public void HandOver(EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        if (_stages[loop.Index] is { Length: > 0 } stage)
        {
            TakeOver(stage, loop);
        }
    }

    /// <summary>
    /// Takes out what was written on this connection's loop and cannot be sent any more, for whoever will send it elsewhere: whole messages
    /// as <see cref="Framing"/> divides them, oldest first, also one of which the beginning was sent; not what the system may have
    /// taken all the same. Call it in <see cref="ConnectionHandler.OnClosed"/>. What it gives is not told as discarded.
    /// </summary>
    public void TakeUnsent(IUnsentMessages unsent)
    {
        ArgumentNullException.ThrowIfNull(unsent);
        if (Framing is { } framing)
        {
            _outbound.VisitUnsent(framing, unsent);
            if (_stages[Loop.Index] is { Length: > 0 } stage)
            {
                OutboundSender.Discard(stage, framing, unsent);
            }
        }
    }

    internal void TakeOver(OutboundStage stage, EventLoop? loop) => _outbound.TakeOver(stage, loop);

    /// <summary>The peer takes bytes again. On the loop.</summary>
    internal void OnWritable() => _outbound.OnWritable();

    /// <inheritdoc cref="OutboundSender.RepeatWatch"/>
    private protected void RepeatArmWritable() => _outbound.RepeatWatch();

    /// <summary>The transport takes no more; what the peer said before is still worth hearing. On the loop.</summary>
    internal void EndAfterFailedSend()
    {
        if (!IsClosed)
        {
            OnReadable(1);
            CloseOnLoop(CloseReason.Error, _outbound.Layer?.Fault, TimeSpan.Zero);
        }
    }

    internal void TellDiscarded(ReadOnlySpan<byte> written)
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
    /// Sends what it can of the chain, or about <see cref="SentTally.Most"/> bytes of it, and gives sent blocks back to the pool; the
    /// tally, which was empty, grows. Called by one thread at a time.
    /// Returns the first block that is not wholly sent.
    /// </summary>
    internal abstract Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome);

    /// <summary>
    /// Asks to be called through <see cref="OnWritable"/>, on the loop, once the peer takes bytes again. Under the gate, any thread.
    /// </summary>
    internal abstract void ArmWritable();

    /// <summary>Takes that request back. Under the gate, on the loop.</summary>
    internal abstract void DisarmWritable();

    private void Notify(Action<Connection> tell)
    {
        if (!IsOpen)
        {
            return;
        }

        try
        {
            tell(this);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }
    }
}
