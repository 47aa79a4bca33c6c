using Broker.Transport.Buffers;

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

    /// <summary>
    /// How many bytes from the start of <see cref="UnsentBlocks"/> may have left all the same: they are encrypted and the peer
    /// may have been sent a part of that, or a send is under way that waits. Call it where that may be called.
    /// </summary>
    public int UncertainBytes
    {
        get
        {
            lock (_gate)
            {
                return Math.Max(_tls?.Encrypted ?? 0, _sendWaits && _queueHead is { } head ? Math.Min(head.Length, MostToWaitWith) : 0);
            }
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
            if (!(_retired || _overflowed || _sealed || bytes == 0))
            {
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
                if (_sending || _blocked || _tls is { IsSecured: false })
                {
                    // Whoever sends looks at the queue again; while the peer holds it up, the poller will call; and so will the
                    // end of a handshake.
                    CheckOverflow();
                    return;
                }

                _sending = true;
                first = null;
            }
        }

        if (first is null)
        {
            SendQueue(loop);
        }
        else
        {
            Discard(first, loop);
        }
    }

    // Outside the gate: the handler may take locks of its own, under which others hand over.
    private void Discard(Block first, EventLoop? loop)
    {
        for (Block? at = first; at is not null; at = at.Next)
        {
            try
            {
                Handler.OnDiscarded(this, at.Array.AsSpan(at.Start, at.Length));
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                Loop.Group.ReportFault(e);
            }
        }

        GiveBack(first, loop);
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
