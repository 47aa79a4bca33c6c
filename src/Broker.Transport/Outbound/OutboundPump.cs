namespace Broker.Transport;

/// <summary>
/// Sends a connection's queue. One thread at a time has the right to send: it takes all queued blocks and passes them
/// to the transport outside the lock of the queue. So a loop that flushes waits for no system call of another loop.
/// </summary>
/// <remarks>
/// <para>A <see cref="SecurityLayer"/> can be between the queue and the transport. Bytes that were queued before it was
/// inserted are sent without it, and later bytes pass through it. The thread that has the right to send also
/// encrypts.</para>
/// <para>The pump calls only the transport. The results of its methods state what the caller must do
/// (<see cref="PumpResult"/>). Everything else is posted to the connection's loop. So no call of the pump leads back
/// into the pump.</para>
/// </remarks>
internal sealed partial class OutboundPump
{
    private readonly Connection _connection;
    private readonly OutboundSender _sender;
    private readonly IOutboundTransport _transport;
    private SecurityLayer? _layer;
    private SendRight _right;
    private SendContinuation _continuation;

    /// <param name="connection">The connection that owns the queue.</param>
    /// <param name="sender">Calls the pump. The pump also posts calls of the sender to the connection's loop.</param>
    /// <param name="transport">Sends the bytes.</param>
    internal OutboundPump(Connection connection, OutboundSender sender, IOutboundTransport transport)
    {
        _connection = connection;
        _sender = sender;
        _transport = transport;
        Queue = new OutboundQueue(connection.Loop.Group.SharedBlocks);
        Messages = new QueuedMessages(this);
        Marks = new Watermarks(connection, sender, Queue);
        Deadline = new WriteDeadline(connection, this);
    }

    internal OutboundQueue Queue { get; }

    internal SecurityLayer? Layer => _layer;

    internal QueuedMessages Messages { get; }

    internal Watermarks Marks { get; }

    internal WriteDeadline Deadline { get; }

    internal ref SendRight Right => ref _right;

    private EventLoop Loop => _connection.Loop;

    private Lock Gate => Queue.Gate;

    /// <summary>
    /// Queues flushed blocks, and sends them if no other thread sends. <paramref name="loop"/> is the caller's loop,
    /// or null if the caller is not a loop.
    /// </summary>
    internal PumpResult Flush(in FlushedBlocks flushed, EventLoop? loop)
    {
        BlockChain chain;
        SecurityLayer? layer;
        int most = SendShare.BytesPerIteration;
        lock (Gate)
        {
            layer = _layer;
            if (_right.AcceptState != AcceptState.Open || flushed.Bytes == 0)
            {
                if (_right.AcceptState == AcceptState.Full)
                {
                    Queue.CountRefused(flushed, Messages.Framing);
                }

                return PumpResult.Discarded;
            }

            if (!_right.IsIdle || layer is { IsSecured: false })
            {
                // If another thread sends, it checks the queue again at the end of its send. If the peer accepts
                // nothing, the poller reports when the peer accepts bytes again. The end of a handshake resumes
                // sending.
                Queue.Add(flushed, loop);
                if (_right.IsBlocked && Messages.Framing is { } framing)
                {
                    Queue.TrimForStopped(framing, loop);
                }

                Marks.CountFlush();
                CheckFull();
                return PumpResult.None;
            }

            // Messages of the security layer itself are sent first.
            layer?.Collect();
            if (Queue.IsEmpty)
            {
                chain = Queue.AddAndTakeAll(flushed);
            }
            else
            {
                Queue.Add(flushed, loop);
                chain = Queue.TakeAll();
                most = ShareOf(loop);
            }

            Marks.CountFlush();
            _right.Take();
        }

        return Send(chain, layer, loop, Math.Max(flushed.Bytes, most));
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

        return Send(chain, layer, loop, ShareOf(loop));
    }

    /// <summary>
    /// Whether bytes wait that can still be sent. Without a security layer, these are all pending bytes. With a
    /// security layer, these are the ciphertext and the bytes that the layer can encrypt now.
    /// </summary>
    internal bool HasUnsent()
    {
        lock (Gate)
        {
            return _layer is null
                ? Queue.PendingBytes != 0
                : _layer.HasCiphertext || (_layer.IsSecured && Queue.PendingBytes != 0);
        }
    }

    /// <summary>From now on, no more bytes are queued. On the loop.</summary>
    internal void CompleteAdding()
    {
        lock (Gate)
        {
            _right.CompleteAdding();
        }
    }

    /// <summary>
    /// Ends the sending. Returns true if no thread has the right to send, or only a transport has it for its
    /// asynchronous send. Otherwise the sending thread gets <see cref="PumpResult.FinishClosing"/> when its send ends.
    /// The loop does not wait for that thread, because the sender may be a caller further up on the same thread, or may
    /// itself wait for the loop. Called once, on the loop.
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
    /// the connection was closed.
    /// </summary>
    internal void DropQueue()
    {
        lock (Gate)
        {
            if (!_right.IsAsyncSending)
            {
                // If the loop has ended (see TryStop), the blocks return to the shared pool.
                EventLoop? loop = Loop.IsCurrent ? Loop : null;
                Queue.Clear(loop);
                BlockPools.ReturnAll(_layer?.DetachCiphertext(), loop);
            }
        }
    }

    // How much of a long queue the caller may send now. A thread that is no loop delays only itself.
    private static int ShareOf(EventLoop? loop) => loop?.TakeSendShare() ?? SendShare.BytesPerIteration;

    // The caller has the right to send. This method gives it up at its end.
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

    // The caller holds the lock of the queue. sentBy is the layer that existed when the blocks were taken.
    private void PutBack(Block? unsent, Block? last, SecurityLayer? sentBy, in SentTally tally, EventLoop? loop)
    {
        if (unsent is not null && sentBy is null && _layer is not null)
        {
            // TLS was started meanwhile. Its bytes must follow all of these unsent blocks. The blocks count as sent
            // from now on.
            Queue.PutBack(null, null, tally, loop);
            Queue.CountAsSent(new BlockChain(unsent, last!));
            _layer.Prepend(unsent, last!);
        }
        else
        {
            Queue.PutBack(unsent, last, tally, loop);
        }

        if (_layer is not null)
        {
            Queue.CountCiphertext(_layer.Ciphertext);
        }

        Marks.CheckLowWater();
    }

    // Takes the right to send and everything that can be sent. The caller holds the lock of the queue.
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
            chain = Queue.TakeAll();
        }

        _right.Take();
        return true;
    }

    private bool HasWork() => _layer is null ? !Queue.IsEmpty : _layer.HasWork(Queue.First);

    // Gives up the right to send. The caller holds the lock of the queue.
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

    // Arranges how the rest of the queue will be sent. The caller holds the lock of the queue.
    private void Continue(SendOutcome outcome, bool isOutdated)
    {
        if (outcome == SendOutcome.Blocked)
        {
            CheckFull();
            Marks.CountBlocked();
            Deadline.Watch();
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

    // The limit applies to all memory that waits, whatever it contains. The caller holds the lock of the queue.
    private void CheckFull()
    {
        if (Marks.IsFull && _right.TryFill())
        {
            Loop.PostClose(_connection, CloseReason.QueueFull);
        }
    }

    // The caller holds the lock of the queue.
    private void CheckDrained() => Marks.CheckDrained(Queue.IsEmpty && _layer is not { HasCiphertext: true });
}
