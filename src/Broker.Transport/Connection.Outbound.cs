using Broker.Transport.Buffers;

namespace Broker.Transport;

// The outbound queue: blocks in order, guarded by _gate. At most one thread sends at a time (_sending); it takes the
// whole queue out, sends without the lock, and looks again. So a loop that delivers never waits for a system call of another.
public abstract partial class Connection
{
    private readonly Lock _gate = new();
    private Block? _queueHead;
    private Block? _queueTail;
    private long _pendingBytes;
    private long _sentBytes;
    private bool _sending;
    private bool _blocked;
    private bool _armed;
    private bool _retired;
    private bool _overflowed;

    /// <summary>
    /// How many bytes may wait for the peer before the connection is closed as a slow consumer. Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes { get; set; } = 64L * 1024 * 1024;

    /// <summary>
    /// How long the peer may take nothing while bytes wait for it. Default 10 s; <see cref="Timeout.InfiniteTimeSpan"/>
    /// for no limit. Read when the peer first holds up the queue.
    /// </summary>
    public TimeSpan WriteDeadline { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Bytes handed over and not yet taken by the kernel or the in-process peer. Any thread, a moment's truth.</summary>
    public long PendingBytes => Volatile.Read(ref _pendingBytes);

    /// <summary>Bytes taken by the kernel or the in-process peer so far. Any thread.</summary>
    public long SentBytes => Volatile.Read(ref _sentBytes);

    /// <summary>
    /// What is queued and could not be sent, in order: for counting what was lost at the end. The memory is borrowed and good
    /// until <see cref="ConnectionHandler.OnClosed"/> returns; call it there.
    /// </summary>
    public IReadOnlyList<UnsentBlock> UnsentBlocks()
    {
        lock (_gate)
        {
            var blocks = new List<UnsentBlock>();
            for (Block? at = _queueHead; at is not null; at = at.Next)
            {
                blocks.Add(new UnsentBlock(at.Array.AsMemory(0, at.End), at.Start));
            }

            return blocks;
        }
    }

    /// <summary>Moves a stage's bytes into the queue and sends if nobody does. <paramref name="loop"/> is the caller's, if it is one.</summary>
    internal void TakeOver(OutboundStage stage, EventLoop? loop)
    {
        Block? first = stage.Detach(out Block? last, out long bytes);
        if (first is null)
        {
            return;
        }

        lock (_gate)
        {
            if (_retired || _overflowed)
            {
                GiveBack(first, loop);
                return;
            }

            if (_queueTail is null)
            {
                _queueHead = first;
            }
            else
            {
                _queueTail.Next = first;
            }

            _queueTail = last;
            _pendingBytes += bytes;
            if (_sending || _blocked)
            {
                // Whoever sends looks at the queue again; while the peer holds it up, the poller will call.
                CheckOverflow();
                return;
            }

            _sending = true;
        }

        SendQueue(loop);
    }

    /// <summary>The peer takes bytes again. On the loop.</summary>
    internal void OnWritable()
    {
        lock (_gate)
        {
            _blocked = false;
            if (_sending || _retired)
            {
                return;
            }

            _sending = true;
        }

        SendQueue(Loop);
        lock (_gate)
        {
            if (_blocked || !_armed || _retired)
            {
                return;
            }

            _armed = false;
            DisarmWritable();
        }

        NotifyDrained();
    }

    /// <summary>
    /// For transports that wait by sending: takes the right to send and gives the first waiting block. Empty when there is
    /// nothing to wait for. On the loop; <see cref="EndWaitingSend"/> must follow, on the loop.
    /// </summary>
    private protected ReadOnlyMemory<byte> BeginWaitingSend()
    {
        lock (_gate)
        {
            if (_retired || _sending || _queueHead is null)
            {
                _armed = false;
                return default;
            }

            _sending = true;
            return _queueHead.Array.AsMemory(_queueHead.Start, _queueHead.Length);
        }
    }

    private protected void EndWaitingSend(int gone, bool failed)
    {
        lock (_gate)
        {
            _armed = false;
            _blocked = false;
            _pendingBytes -= gone;
            _sentBytes += gone;
            _queueHead = _queueHead is null ? null : Consume(_queueHead, gone, Loop);
            _queueTail = _queueHead is null ? null : _queueTail;
            if (failed || _retired)
            {
                EndSending(_queueHead, _queueTail);
            }
        }

        if (failed)
        {
            CloseOnLoop(CloseReason.Error, null, TimeSpan.Zero);
        }
        else if (!_retired)
        {
            SendQueue(Loop);
            NotifyDrained();
        }
    }

    private void NotifyDrained()
    {
        if (_state == StateOpen && PendingBytes == 0)
        {
            Handler.OnDrained(this);
        }
    }

    // Entered with _sending set by the caller, who has thereby the right to send.
    private void SendQueue(EventLoop? loop)
    {
        while (true)
        {
            Block? chain;
            Block? chainTail;
            lock (_gate)
            {
                chain = _queueHead;
                chainTail = _queueTail;
                _queueHead = _queueTail = null;
                if (chain is null || _retired)
                {
                    EndSending(chain, chainTail);
                    break;
                }
            }

            Block? rest = Send(chain, loop, out long sent, out SendOutcome outcome);
            lock (_gate)
            {
                _pendingBytes -= sent;
                _sentBytes += sent;
                if (rest is not null)
                {
                    chainTail!.Next = _queueHead;
                    _queueTail ??= chainTail;
                    _queueHead = rest;
                }

                if (outcome == SendOutcome.Sent && !_retired)
                {
                    continue;
                }

                _blocked = outcome == SendOutcome.Blocked;
                if (_blocked && !_retired)
                {
                    HoldUp();
                }

                EndSending(_queueHead, _queueTail);
            }

            if (outcome == SendOutcome.Failed)
            {
                Loop.PostClose(this, CloseReason.Error);
            }

            break;
        }

        if (IsLingering && Loop.IsCurrent)
        {
            AdvanceLinger();
        }
        else if (IsLingering)
        {
            Loop.Post(AdvanceLinger);
        }
    }

    // Under _gate, which also orders arming and disarming between loops.
    private void HoldUp()
    {
        CheckOverflow();
        if (!_armed)
        {
            _armed = true;
            ArmWritable();
            WatchDeadline();
        }
    }

    private void CheckOverflow()
    {
        if (_pendingBytes > MaxPendingBytes && !_overflowed)
        {
            _overflowed = true;
            Loop.PostClose(this, CloseReason.SlowConsumer);
        }
    }

    // Under _gate.
    private void EndSending(Block? head, Block? tail)
    {
        _queueHead = head;
        _queueTail = tail;
        _sending = false;
        if (_retired)
        {
            ReleaseTransport();
        }
    }

    private void RetireOutbound()
    {
        lock (_gate)
        {
            _retired = true;
            if (!_sending)
            {
                ReleaseTransport();
            }
        }
    }

    private void DropQueue()
    {
        lock (_gate)
        {
            if (!_sending && _queueHead is not null)
            {
                GiveBack(_queueHead, Loop);
                _queueHead = _queueTail = null;
            }
        }
    }

    private void GiveBack(Block first, EventLoop? loop)
    {
        for (Block? at = first; at is not null;)
        {
            Block next = at;
            at = at.Next;
            Give(next, loop);
        }
    }

    private protected void Give(Block block, EventLoop? loop)
    {
        if (loop is not null)
        {
            loop.Blocks.Give(block);
        }
        else
        {
            Depot.Give(block);
        }
    }

    /// <summary>
    /// Takes <paramref name="gone"/> bytes off the front of a chain and gives back the blocks that are empty.
    /// Returns what is left of it.
    /// </summary>
    private protected Block? Consume(Block chain, int gone, EventLoop? loop)
    {
        Block? at = chain;
        while (at is not null && gone >= at.Length)
        {
            gone -= at.Length;
            Block empty = at;
            at = at.Next;
            Give(empty, loop);
        }

        if (at is not null)
        {
            at.Start += gone;
        }

        return at;
    }

    /// <summary>
    /// Sends what it can of the chain and gives sent blocks back to the pool. Called by one thread at a time.
    /// Returns the first block that is not wholly sent.
    /// </summary>
    private protected abstract Block? Send(Block chain, EventLoop? loop, out long sent, out SendOutcome outcome);

    /// <summary>
    /// Asks to be called through <see cref="OnWritable"/>, on the loop, once the peer takes bytes again. Under the gate, any thread.
    /// </summary>
    private protected abstract void ArmWritable();

    /// <summary>Takes that request back. Under the gate, on the loop.</summary>
    private protected abstract void DisarmWritable();
}
