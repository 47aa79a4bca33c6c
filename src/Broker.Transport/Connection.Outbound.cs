using Broker.Transport.Buffers;
using Broker.Transport.Tls;

namespace Broker.Transport;

// The outbound queue: blocks in order, guarded by _gate. At most one thread sends at a time (_sending); it takes the
// whole queue out, sends without the lock, and looks again. So a loop that delivers never waits for a system call of another.
public abstract partial class Connection
{
    // A waiting send ends when all of it has gone, and only then counts as progress of the peer.
    private const int MostToWaitWith = 16 * 1024;

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
    private bool _sealed;
    private bool _heldUp;
    private bool _writableMissed;
    private bool _sendWaits;
    private volatile bool _sendFailed;
    private readonly Action _postedWritable;
    private readonly Action _postedDrained;

    /// <summary>Orders the calls of <see cref="ArmWritable"/> and <see cref="DisarmWritable"/> with others to the poller.</summary>
    private protected Lock WatchGate => _gate;

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
            if (_retired || _overflowed || _sealed || bytes == 0)
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

            if (_tls is { IsSecured: false })
            {
                // The end of the handshake looks at the queue.
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
            if (_sending)
            {
                // The sender may have been told otherwise just before, and be about to say so.
                _writableMissed = true;
                return;
            }

            _blocked = false;
            if (_retired)
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
    }

    /// <summary>
    /// For transports that wait by sending: takes the right to send and gives the first waiting block. Empty when there is
    /// nothing to wait for. On the loop; <see cref="EndWaitingSend"/> must follow, on the loop.
    /// </summary>
    private protected ReadOnlyMemory<byte> BeginWaitingSend()
    {
        lock (_gate)
        {
            Block? head = _retired || _sending ? null : _tls is null ? _queueHead : _tls.Collect();
            if (head is null)
            {
                _armed = false;
                return default;
            }

            _sending = _sendWaits = true;
            return head.Array.AsMemory(head.Start, Math.Min(head.Length, MostToWaitWith));
        }
    }

    private protected void EndWaitingSend(int gone, bool failed)
    {
        lock (_gate)
        {
            _armed = false;
            _blocked = failed;
            _sendWaits = false;
            _sendFailed |= failed;
            if (_tls is not null)
            {
                // It was ciphertext, or what the start of TLS has counted as sent.
                _tls.Collect();
                _tls.ConsumeWire(gone, Loop);
            }
            else
            {
                _pendingBytes -= gone;
                _sentBytes += gone;
                _queueHead = _queueHead is null ? null : Consume(_queueHead, gone, Loop);
                _queueTail = _queueHead is null ? null : _queueTail;
            }

            if (failed || _retired)
            {
                _sending = false;
            }
        }

        if (IsClosed)
        {
            DropQueue();
        }
        else if (failed)
        {
            EndAfterFailedSend();
        }
        else
        {
            SendQueue(Loop);
        }
    }

    // Posted, never called from where bytes are handed over: that may be in the middle of a handler.
    private void NotifyDrained()
    {
        if (!IsOpen)
        {
            return;
        }

        try
        {
            Handler.OnDrained(this);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }
    }

    // Entered with _sending set by the caller, who has thereby the right to send.
    private void SendQueue(EventLoop? loop)
    {
        while (true)
        {
            if (!TryTakeQueue(out Block? chain, out Block? chainTail, out TlsLayer? tls))
            {
                break;
            }

            Block? rest = tls is null
                ? Send(chain!, loop, out long sent, out SendOutcome outcome)
                : tls.Send(chain, loop, out sent, out outcome);
            lock (_gate)
            {
                _pendingBytes -= sent;
                _sentBytes += sent;
                if (rest is not null)
                {
                    PutBack(rest, chainTail!, tls);
                }

                if (outcome == SendOutcome.Sent && !_retired)
                {
                    continue;
                }

                if (outcome == SendOutcome.Blocked && !_retired)
                {
                    HoldUp();
                }

                // After a failure too: nobody needs to try again.
                _sendFailed |= outcome == SendOutcome.Failed;
                EndSending(blocked: outcome != SendOutcome.Sent);
            }

            if (outcome == SendOutcome.Failed)
            {
                Loop.Post(EndAfterFailedSend);
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

    // False: there is nothing that may be sent, and the right to send is given back.
    private bool TryTakeQueue(out Block? chain, out Block? chainTail, out TlsLayer? tls)
    {
        chain = chainTail = null;
        lock (_gate)
        {
            tls = _tls;
            bool wire = tls?.Collect() is not null;
            bool held = tls is { IsSecured: false };
            if (_retired || !(wire || (_queueHead is not null && !held)))
            {
                EndSending(blocked: false);
                return false;
            }

            if (!held)
            {
                chain = _queueHead;
                chainTail = _queueTail;
                _queueHead = _queueTail = null;
            }

            return true;
        }
    }

    // Under _gate. takenFor: the layer that was there when the chain was taken.
    private void PutBack(Block rest, Block chainTail, TlsLayer? takenFor)
    {
        if (takenFor is null && _tls is not null)
        {
            // TLS was started meanwhile, after all this.
            long clear = LengthOf(rest);
            _pendingBytes -= clear;
            _sentBytes += clear;
            _tls.Prepend(rest, chainTail);
            return;
        }

        chainTail.Next = _queueHead;
        _queueTail ??= chainTail;
        _queueHead = rest;
    }

    // Under _gate, which also orders arming and disarming between loops.
    private void HoldUp()
    {
        CheckOverflow();
        _heldUp = true;
        WatchDeadline();
        if (!_armed)
        {
            _armed = true;
            ArmWritable();
        }
    }

    /// <summary>For transports that could not be asked before they received: asks again. On the loop.</summary>
    private protected void RepeatArmWritable()
    {
        lock (_gate)
        {
            if (_armed)
            {
                ArmWritable();
            }
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
    private void EndSending(bool blocked)
    {
        _blocked = blocked;
        Volatile.Write(ref _sending, false);
        if (_retired)
        {
            return;
        }

        if (_writableMissed)
        {
            _writableMissed = false;
            Loop.Post(_postedWritable);
        }

        if (_heldUp && _queueHead is null && _tls is not { HasWire: true })
        {
            _heldUp = false;
            Loop.Post(_postedDrained);
        }
    }

    private void RetireOutbound()
    {
        lock (_gate)
        {
            _retired = true;
        }

        // Another thread may be in a system call on the descriptor, with bytes that are neither sent nor queued. The call
        // does not wait for the peer and the thread does not wait for this one, so this is short; after it the descriptor
        // is nobody's and the queue is whole. A send that waits is ended by the release.
        SpinWait wait = default;
        while (!_sendWaits && Volatile.Read(ref _sending))
        {
            wait.SpinOnce();
        }

        ReleaseTransport();
    }

    /// <summary>The transport takes no more; what the peer said before is still worth hearing. On the loop.</summary>
    private void EndAfterFailedSend()
    {
        if (!IsClosed)
        {
            OnReadable(1);
            CloseOnLoop(CloseReason.Error, _tls?.Fault, TimeSpan.Zero);
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

            if (!_sending && _tls?.DetachWire() is { } wire)
            {
                GiveBack(wire, Loop);
            }
        }
    }

    private static void GiveBack(Block first, EventLoop? loop)
    {
        for (Block? at = first; at is not null;)
        {
            Block next = at;
            at = at.Next;
            Give(next, loop);
        }
    }

    private protected static void Give(Block block, EventLoop? loop)
    {
        if (loop is not null)
        {
            loop.Blocks.Give(block);
        }
        else
        {
            block.Home.Give(block);
        }
    }

    /// <summary>
    /// Takes <paramref name="gone"/> bytes off the front of a chain and gives back the blocks that are empty.
    /// Returns what is left of it.
    /// </summary>
    internal static Block? Consume(Block chain, int gone, EventLoop? loop)
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
