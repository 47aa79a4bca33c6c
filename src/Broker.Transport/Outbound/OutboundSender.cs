using Broker.Transport.Buffers;
using Broker.Transport.Wire;

namespace Broker.Transport.Outbound;

/// <summary>
/// Sends a connection's queue: one thread at a time has the right to, takes all there is, and gives it to the transport outside
/// the gate. So a loop that delivers never waits for a system call of another.
/// </summary>
/// <remarks>
/// TLS stands between the two: what was queued before it was started leaves ahead of it, and the rest through it, see
/// <see cref="SecurityLayer"/>. Whoever has the right to send encrypts too.
/// </remarks>
internal sealed partial class OutboundSender
{
    /// <summary>
    /// How many bytes one send takes of a queue, about: a peer that takes them as fast as they come would else keep the loop
    /// until its whole queue has gone. One that hands more over may send as much, or a queue would grow because others have their turn.
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

    /// <summary>Takes a stage's bytes over and sends them if nobody does. <paramref name="loop"/> is the caller's, if it is one.</summary>
    internal void Flush(LoopWriteBuffer buffer, EventLoop? loop)
    {
        FlushedBlocks staged = buffer.TakeBlocks();
        if (staged.First is null)
        {
            return;
        }

        BlockChain chain = default;
        SecurityLayer? layer;
        lock (Gate)
        {
            layer = _layer;
            if (_acceptState != AcceptState.Open || staged.Bytes == 0)
            {
                CountRefused(staged);
            }
            else if (_state != SendState.Idle || layer is { IsSecured: false })
            {
                // Whoever sends looks at the queue again; while the peer holds it up, the poller will call; and so will the
                // end of a handshake.
                _queue.Add(staged, loop);
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
                // What the protocol itself has to say goes first.
                layer?.Collect();
                chain = EnqueueAndTake(staged, loop);
                _state = SendState.Sending;
            }
        }

        if (chain.IsEmpty)
        {
            Discard(staged.First, loop);
        }
        else
        {
            Send(chain, layer, loop, Math.Max(staged.Bytes, MaxPerSend));
        }
    }

    /// <summary>Sends what is queued, if somebody may and nobody does.</summary>
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

    /// <summary>Takes the right to send, to add something to what TLS sends; <see cref="EndAddition"/> must follow.</summary>
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

    /// <summary>Nothing more is queued. On the loop.</summary>
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
    /// Nothing more is sent. True when nobody has the right to send, or only a transport that waits; else the sender calls
    /// <see cref="Connection.EndClosing"/> when it is done: the loop does not wait for it, for it may be further down on the
    /// same thread, or wait for the loop. On the loop, once.
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

    /// <summary>Gives all blocks back, unless a transport that waits has one of them. On the loop, when all is over.</summary>
    internal void DropQueue()
    {
        lock (Gate)
        {
            if (_state != SendState.AsyncSending)
            {
                // A loop that has ended, see TryRetire, gets nothing back.
                EventLoop? loop = Loop.IsCurrent ? Loop : null;
                _queue.Clear(loop);
                BlockPools.ReturnAll(_layer?.DetachCiphertext(), loop);
            }
        }
    }

    // Entered with the right to send, and leaves without it.
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

    // Under the gate. The layer is the one that was there when the chain was taken.
    private void PutBack(Block? unsent, Block? last, SecurityLayer? sentBy, in SentTally tally, EventLoop? loop)
    {
        if (unsent is not null && sentBy is null && _layer is not null)
        {
            // TLS was started meanwhile: behind all this, which counts as sent now.
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

    // Under the gate: gives the right to send together with all there is to send.
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

    // Under the gate. As a rule there is nothing else in the queue.
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

    // Under the gate. Returns whether the connection waits for this to be closed.
    private bool EndSend(SendOutcome outcome)
    {
        bool isOutOfDate = _state == SendState.SendingWritable;
        _hasFailed |= outcome == SendOutcome.Failed;
        _state = outcome switch
        {
            // Also where others have their turn first: whoever hands more over then sends what waits ahead of it as well.
            SendOutcome.Sent or SendOutcome.Yielded => SendState.Idle,
            SendOutcome.Blocked => SendState.Blocked,
            // Nobody needs to try again.
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
        // A loop that has ended waits for nobody: then this thread is the last that knows the connection.
        if (!Loop.TryPost(_connection.EndClosing))
        {
            _connection.EndClosing();
        }
    }
}
