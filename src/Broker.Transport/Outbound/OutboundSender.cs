namespace Broker.Transport;

/// <summary>
/// Sends a connection's queue. One thread at a time has the right to send: it takes all queued blocks and passes them
/// to the transport outside the lock of the queue. So a loop that flushes never waits for a system call of another
/// loop.
/// </summary>
/// <remarks>
/// A <see cref="SecurityLayer"/> is between the queue and the transport. Bytes that were queued before it was inserted
/// leave ahead of it, later bytes pass through it. The thread that has the right to send also encrypts.
/// </remarks>
internal sealed partial class OutboundSender
{
    /// <summary>
    /// About how many bytes one send takes of a queue. Without this limit, a peer that accepts bytes as fast as they
    /// are sent would occupy the loop until the queue is empty. A flush that adds more may send as much as it adds;
    /// otherwise the queue would grow because other connections come first.
    /// </summary>
    internal const int MaxPerSend = 512 * 1024;

    private readonly Connection _connection;
    private readonly OutboundQueue _queue;
    private SecurityLayer? _layer;
    private SendState _state;
    private AcceptState _acceptState;
    private bool _stopAwaitsSender;
    private volatile bool _hasFailed;

    internal OutboundSender(Connection connection)
    {
        _connection = connection;
        _queue = new OutboundQueue(connection.SharedBlocks);
    }

    internal OutboundQueue Queue => _queue;

    internal SecurityLayer? Layer => _layer;

    /// <summary>Whether the transport has failed to send. Any thread.</summary>
    internal bool HasFailed => _hasFailed;

    private EventLoop Loop => _connection.Loop;

    private Lock Gate => _queue.Gate;

    private bool IsFree => _state == SendState.Idle && _acceptState != AcceptState.Stopped;

    /// <summary>
    /// Queues the bytes of a write buffer, and sends them if no other thread sends. <paramref name="loop"/> is the
    /// caller's loop, or null if the caller is not a loop.
    /// </summary>
    internal void Flush(LoopWriteBuffer buffer, EventLoop? loop)
    {
        FlushedBlocks flushed = buffer.TakeBlocks();
        if (flushed.First is null)
        {
            return;
        }

        BlockChain chain = default;
        SecurityLayer? layer;
        lock (Gate)
        {
            layer = _layer;
            if (_acceptState != AcceptState.Open || flushed.Bytes == 0)
            {
                CountRefused(flushed);
            }
            else if (_state != SendState.Idle || layer is { IsSecured: false })
            {
                // A thread that sends checks the queue again. If the peer accepts nothing, the poller reports when it
                // does; a handshake resumes sending when it ends.
                _queue.Add(flushed, loop);
                if (_state == SendState.Blocked && _connection.Framing is { } framing)
                {
                    _queue.TrimForStopped(framing, loop);
                }

                ArmLowWater();
                CheckFull();
                return;
            }
            else
            {
                // Messages of the security layer itself go first.
                layer?.Collect();
                chain = EnqueueAndTake(flushed, loop);
                _state = SendState.Sending;
            }
        }

        if (chain.IsEmpty)
        {
            Discard(flushed.First, loop);
        }
        else
        {
            Send(chain, layer, loop, Math.Max(flushed.Bytes, MaxPerSend));
        }
    }

    /// <summary>Sends the queue if sending is possible and no other thread sends.</summary>
    internal void Resume(EventLoop? loop)
    {
        BlockChain chain;
        SecurityLayer? layer;
        lock (Gate)
        {
            if (!IsFree || !TryTake(out chain, out layer))
            {
                return;
            }
        }

        Send(chain, layer, loop, MaxPerSend);
    }

    /// <summary>
    /// Takes the right to send, to add bytes to the security layer's output; <see cref="EndAddition"/> must follow.
    /// </summary>
    internal bool TryBeginAddition()
    {
        lock (Gate)
        {
            if (!IsFree)
            {
                return false;
            }

            _state = SendState.Sending;
            return true;
        }
    }

    internal void EndAddition()
    {
        lock (Gate)
        {
            _state = SendState.Idle;
        }

        Resume(Loop);
    }

    /// <summary>Queues nothing more. On the loop.</summary>
    internal void CompleteAdding()
    {
        lock (Gate)
        {
            if (_acceptState < AcceptState.Completed)
            {
                _acceptState = AcceptState.Completed;
            }
        }
    }

    /// <summary>
    /// Stops sending for good. Returns true if no thread has the right to send, or only a transport that waits for its
    /// asynchronous send. Otherwise the sender calls <see cref="Connection.EndClosing"/> when it is done. The loop
    /// does not wait for the sender, because the sender may be a caller further up on the same thread, or wait for the
    /// loop. On the loop, once.
    /// </summary>
    internal bool TryStop()
    {
        lock (Gate)
        {
            _acceptState = AcceptState.Stopped;
            _stopAwaitsSender = _state is SendState.Sending or SendState.SendingWritable;
            return !_stopAwaitsSender;
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
            if (_state != SendState.AsyncSending)
            {
                // A loop that has ended, see TryStop, gets no blocks back.
                EventLoop? loop = Loop.IsCurrent ? Loop : null;
                _queue.Clear(loop);
                BlockPools.ReturnAll(_layer?.DetachCiphertext(), loop);
            }
        }
    }

    // The caller has the right to send; this method gives it up.
    private void Send(BlockChain chain, SecurityLayer? layer, EventLoop? loop, long most)
    {
        SendOutcome outcome;
        bool retires = false;
        long sent = 0;
        while (true)
        {
            var tally = new SentTally { MaxBytes = most };
            Block? rest = layer is null
                ? _connection.Send(chain.Head!, loop, ref tally, out outcome)
                : layer.Send(chain.Head, loop, ref tally, out outcome);
            lock (Gate)
            {
                PutBack(rest, chain.Tail, layer, tally, loop);
                sent += tally.Bytes;
                if (outcome == SendOutcome.Sent && sent >= most && HasWork())
                {
                    outcome = SendOutcome.Yielded;
                }

                if (outcome == SendOutcome.Sent && TryTake(out chain, out layer))
                {
                    continue;
                }

                retires = EndSend(outcome);
                break;
            }
        }

        if (retires)
        {
            FinishClosing();
        }
        else if (outcome == SendOutcome.Failed)
        {
            Loop.Post(_connection.EndAfterFailedSend);
        }
        else if (_connection.IsLingering)
        {
            Loop.Run(_connection.AdvanceLinger);
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
        if (_acceptState == AcceptState.Stopped || !HasWork())
        {
            return false;
        }

        if (layer is null || layer.IsSecured)
        {
            chain = _queue.TakeAll();
        }

        if (_state == SendState.Idle)
        {
            _state = SendState.Sending;
        }

        return true;
    }

    // Under the lock of the queue, which is usually empty here.
    private BlockChain EnqueueAndTake(in FlushedBlocks flushed, EventLoop? loop)
    {
        BlockChain chain;
        if (_queue.IsEmpty)
        {
            chain = _queue.AddAndTakeAll(flushed);
        }
        else
        {
            _queue.Add(flushed, loop);
            chain = _queue.TakeAll();
        }

        ArmLowWater();
        return chain;
    }

    private bool HasWork() => _layer is null ? !_queue.IsEmpty : _layer.HasWork(_queue.First);

    // Under the lock of the queue. Returns whether the closing of the connection waits for this sender.
    private bool EndSend(SendOutcome outcome)
    {
        bool isOutOfDate = _state == SendState.SendingWritable;
        _hasFailed |= outcome == SendOutcome.Failed;
        _state = outcome switch
        {
            // Also if other connections come first: the next flush then sends the waiting bytes ahead of its own.
            SendOutcome.Sent or SendOutcome.Yielded => SendState.Idle,
            SendOutcome.Blocked => SendState.Blocked,
            // No thread needs to try again.
            _ => SendState.Failed,
        };
        if (_acceptState == AcceptState.Stopped)
        {
            bool awaited = _stopAwaitsSender;
            _stopAwaitsSender = false;
            return awaited;
        }

        if (outcome == SendOutcome.Blocked)
        {
            OnBlocked();
        }

        if (outcome == SendOutcome.Yielded)
        {
            Yield();
        }
        else if (isOutOfDate && outcome != SendOutcome.Failed)
        {
            Loop.Post(_postedWritable ??= OnWritable);
        }

        CheckDrained();
        return false;
    }

    private void CountRefused(in FlushedBlocks flushed)
    {
        if (_acceptState == AcceptState.Full)
        {
            _queue.CountRefused(flushed, _connection.Framing);
        }
    }

    private void FinishClosing()
    {
        // A loop that has ended waits for no sender: then this thread is the last one that refers to the connection.
        if (!Loop.TryPost(_connection.EndClosing))
        {
            _connection.EndClosing();
        }
    }
}
