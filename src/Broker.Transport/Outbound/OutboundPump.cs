namespace Broker.Transport;

/// <summary>
/// Sends a connection's queue. One thread at a time has the right to send: it takes all queued blocks and passes them
/// to the transport outside the lock of the queue. So a loop that flushes never waits for a system call of another
/// loop.
/// </summary>
/// <remarks>
/// <para>A <see cref="SecurityLayer"/> is between the queue and the transport. Bytes that were queued before it was
/// inserted are sent without it, and later bytes pass through it. The thread that has the right to send also
/// encrypts.</para>
/// <para>The pump calls the transport only. Its methods return what the caller has to do (<see cref="PumpResult"/>),
/// and everything else is posted to the connection's loop. So no call of the pump leads back into the pump.</para>
/// </remarks>
internal sealed partial class OutboundPump
{
    /// <summary>
    /// About how many bytes one send takes of a queue. Without this limit, a peer that accepts bytes as fast as they
    /// are sent would occupy the loop until the queue is empty. A flush that adds more may send as much as it adds;
    /// otherwise the queue would grow because other connections come first.
    /// </summary>
    internal const int MaxPerSend = 512 * 1024;

    private readonly Connection _connection;
    private readonly OutboundSender _sender;
    private readonly IOutboundTransport _transport;
    private readonly OutboundQueue _queue;
    private readonly WriteDeadline _deadline;
    private Watermarks _marks = new();
    private SecurityLayer? _layer;
    private SendRight _right;
    private SendContinuation _continuation;
    private Action? _postedLowWater;
    private Action? _postedDrained;

    /// <param name="connection">The connection whose queue this is.</param>
    /// <param name="sender">Calls the pump; the pump posts calls of it to the connection's loop.</param>
    /// <param name="transport">Sends the bytes.</param>
    internal OutboundPump(Connection connection, OutboundSender sender, IOutboundTransport transport)
    {
        _connection = connection;
        _sender = sender;
        _transport = transport;
        _queue = new OutboundQueue(connection.Loop.Group.SharedBlocks);
        _deadline = new WriteDeadline(connection, this);
    }

    internal OutboundQueue Queue => _queue;

    internal SecurityLayer? Layer => _layer;

    internal WriteDeadline Deadline => _deadline;

    /// <summary>Whether the transport has failed to send. Any thread.</summary>
    internal bool HasFailed => _right.HasFailed;

    /// <summary>Finds the boundaries of messages in the queue; null if the protocol has none.</summary>
    internal IOutboundFraming? Framing { get; set; }

    internal long MaxPendingBytes
    {
        get => _marks.MaxPendingBytes;
        set => _marks.MaxPendingBytes = value;
    }

    internal long HighWaterBytes
    {
        get => _marks.HighWaterBytes;
        set
        {
            lock (Gate)
            {
                _marks.HighWaterBytes = value;
                CheckHighWater();
            }
        }
    }

    internal long LowWaterBytes
    {
        get => _marks.LowWaterBytes;
        set
        {
            lock (Gate)
            {
                _marks.SetLowWater(value, _queue.BufferedBytes);
            }
        }
    }

    /// <summary>
    /// Grows whenever the peer accepts bytes. A chunk of TLS counts as sent only when all of it was sent, but any
    /// accepted byte shows that the peer still reads.
    /// </summary>
    internal long Progress => _queue.SentBytes + (_layer?.CiphertextSent ?? 0);

    /// <summary>Whether the queue waits until the peer accepts bytes. Under the lock of the queue.</summary>
    internal bool IsWaitingForPeer => _right.IsWaitingForPeer;

    private EventLoop Loop => _connection.Loop;

    private Lock Gate => _queue.Gate;

    /// <summary>
    /// Queues flushed blocks, and sends them if no other thread sends. <paramref name="loop"/> is the caller's loop,
    /// or null if the caller is not a loop.
    /// </summary>
    internal PumpResult Flush(in FlushedBlocks flushed, EventLoop? loop)
    {
        BlockChain chain;
        SecurityLayer? layer;
        lock (Gate)
        {
            layer = _layer;
            if (_right.AcceptState != AcceptState.Open || flushed.Bytes == 0)
            {
                if (_right.AcceptState == AcceptState.Full)
                {
                    _queue.CountRefused(flushed, Framing);
                }

                return PumpResult.Discarded;
            }

            if (!_right.IsIdle || layer is { IsSecured: false })
            {
                // A thread that sends checks the queue again. If the peer accepts nothing, the poller reports when it
                // does; a handshake resumes sending when it ends.
                _queue.Add(flushed, loop);
                if (_right.IsBlocked && Framing is { } framing)
                {
                    _queue.TrimForStopped(framing, loop);
                }

                CountFlush();
                CheckFull();
                return PumpResult.None;
            }

            // Messages of the security layer itself go first.
            layer?.Collect();
            if (_queue.IsEmpty)
            {
                chain = _queue.AddAndTakeAll(flushed);
            }
            else
            {
                _queue.Add(flushed, loop);
                chain = _queue.TakeAll();
            }

            CountFlush();
            _right.Take();
        }

        return Send(chain, layer, loop, Math.Max(flushed.Bytes, MaxPerSend));
    }

    /// <summary>Sends the queue if sending is possible and no other thread sends.</summary>
    internal PumpResult Resume(EventLoop? loop)
    {
        BlockChain chain;
        SecurityLayer? layer;
        lock (Gate)
        {
            if (!_right.IsFree || !TryTake(out chain, out layer))
            {
                return PumpResult.None;
            }
        }

        return Send(chain, layer, loop, MaxPerSend);
    }

    internal void RequestLowWater()
    {
        lock (Gate)
        {
            _marks.RequestLowWater(_queue.BufferedBytes);
            CheckLowWater();
        }
    }

    /// <summary>Queues nothing more. On the loop.</summary>
    internal void CompleteAdding()
    {
        lock (Gate)
        {
            _right.CompleteAdding();
        }
    }

    /// <summary>
    /// Ends the sending. Returns true if no thread has the right to send, or only a transport that waits for its
    /// asynchronous send. Otherwise the sending thread gets <see cref="PumpResult.FinishClosing"/> when it is done.
    /// The loop does not wait for that thread, because the sender may be a caller further up on the same thread, or
    /// wait for the loop. On the loop, once.
    /// </summary>
    internal bool TryStop()
    {
        lock (Gate)
        {
            return _right.TryStop();
        }
    }

    /// <summary>
    /// Returns all blocks to their pool, unless a transport's asynchronous send uses one of them. On the loop, after
    /// the connection is closed.
    /// </summary>
    internal void DropQueue()
    {
        lock (Gate)
        {
            if (!_right.IsAsyncSending)
            {
                // A loop that has ended, see TryStop, gets no blocks back.
                EventLoop? loop = Loop.IsCurrent ? Loop : null;
                _queue.Clear(loop);
                BlockPools.ReturnAll(_layer?.DetachCiphertext(), loop);
            }
        }
    }

    // The caller has the right to send; this method gives it up.
    private PumpResult Send(BlockChain chain, SecurityLayer? layer, EventLoop? loop, long most)
    {
        long sent = 0;
        while (true)
        {
            var tally = new SentTally { MaxBytes = most };
            Block? unsent = layer is null
                ? _transport.Send(chain.Head!, loop, ref tally, out SendOutcome outcome)
                : layer.Send(_transport, chain.Head, loop, ref tally, out outcome);
            lock (Gate)
            {
                PutBack(unsent, chain.Tail, layer, tally, loop);
                sent += tally.Bytes;
                if (outcome == SendOutcome.Sent && sent >= most && HasWork())
                {
                    outcome = SendOutcome.Yielded;
                }

                if (outcome != SendOutcome.Sent || !TryTake(out chain, out layer))
                {
                    return EndSend(outcome);
                }
            }
        }
    }

    // Under the lock of the queue. sentBy is the layer that existed when the blocks were taken.
    private void PutBack(Block? unsent, Block? last, SecurityLayer? sentBy, in SentTally tally, EventLoop? loop)
    {
        if (unsent is not null && sentBy is null && _layer is not null)
        {
            // TLS was started meanwhile. Its bytes follow all of these blocks, which count as sent now.
            _queue.PutBack(null, null, tally, loop);
            _queue.CountAsSent(new BlockChain(unsent, last!));
            _layer.Prepend(unsent, last!);
        }
        else
        {
            _queue.PutBack(unsent, last, tally, loop);
        }

        if (_layer is not null)
        {
            _queue.CountCiphertext(_layer.Ciphertext);
        }

        CheckLowWater();
    }

    // Takes the right to send and everything there is to send. Under the lock of the queue.
    private bool TryTake(out BlockChain chain, out SecurityLayer? layer)
    {
        chain = default;
        layer = _layer;
        if (_right.IsStopped || !HasWork())
        {
            return false;
        }

        if (layer is null || layer.IsSecured)
        {
            chain = _queue.TakeAll();
        }

        _right.Take();
        return true;
    }

    private bool HasWork() => _layer is null ? !_queue.IsEmpty : _layer.HasWork(_queue.First);

    // Gives up the right to send. Under the lock of the queue.
    private PumpResult EndSend(SendOutcome outcome)
    {
        if (_right.End(outcome, out bool isOutdated))
        {
            return PumpResult.FinishClosing;
        }

        if (!_right.IsStopped)
        {
            Continue(outcome, isOutdated);
            CheckDrained();
        }

        return outcome == SendOutcome.Failed ? PumpResult.Failed : PumpResult.Sent;
    }

    // Arranges how the rest of the queue is sent. Under the lock of the queue.
    private void Continue(SendOutcome outcome, bool isOutdated)
    {
        if (outcome == SendOutcome.Blocked)
        {
            CheckFull();
            _marks.CountBlocked();
            _deadline.Watch();
            _continuation.Watch(_transport);
        }

        if (outcome == SendOutcome.Yielded)
        {
            _continuation.EndWatch(_transport);
            _continuation.Post(Loop, _sender);
        }
        else if (isOutdated && outcome != SendOutcome.Failed)
        {
            _continuation.PostWritable(Loop, _sender);
        }
    }

    // The limit covers all memory that waits, whatever it contains. Under the lock of the queue.
    private void CheckFull()
    {
        if (_marks.IsFull(_queue.BufferedBytes) && _right.TryFill())
        {
            Loop.PostClose(_connection, CloseReason.QueueFull);
        }
    }

    // Under the lock of the queue.
    private void CountFlush()
    {
        _marks.CountFlush(_queue.BufferedBytes);
        CheckHighWater();
    }

    // Under the lock of the queue. Writers of all loops read the result without the lock.
    private void CheckHighWater()
    {
        bool isAbove = _marks.IsAboveHighWater(_queue.BufferedBytes);
        if (isAbove != _connection.IsAboveHighWater)
        {
            _connection.IsAboveHighWater = isAbove;
        }
    }

    // Under the lock of the queue. Posted, because a flush may happen in the middle of a handler's call.
    private void CheckLowWater()
    {
        CheckHighWater();
        if (_marks.TryReportLowWater(_queue.BufferedBytes))
        {
            Loop.Post(_postedLowWater ??= _sender.NotifyLowWater);
        }
    }

    // Under the lock of the queue. Posted, because a flush may happen in the middle of a handler's call.
    private void CheckDrained()
    {
        if (_marks.TryReportDrained(_queue.IsEmpty && _layer is not { HasCiphertext: true }))
        {
            Loop.Post(_postedDrained ??= _sender.NotifyDrained);
        }
    }
}
