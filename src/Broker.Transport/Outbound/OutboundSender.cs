using Broker.Transport.Buffers;
using Broker.Transport.Tls;

namespace Broker.Transport.Outbound;

/// <summary>
/// Sends a connection's queue: one thread at a time has the right to, takes all there is, and gives it to the transport outside
/// the gate. So a loop that delivers never waits for a system call of another.
/// </summary>
/// <remarks>
/// TLS stands between the two: what was queued before it was started leaves ahead of it, and the rest through it, see
/// <see cref="TlsLayer"/>. Whoever has the right to send encrypts too.
/// </remarks>
internal sealed partial class OutboundSender
{
    // A waiting send ends when all of it has gone, and only then counts as progress of the peer.
    private const int MostToLend = 16 * 1024;

    private readonly Connection _connection;
    private readonly OutboundQueue _queue;
    private TlsLayer? _tls;
    private SendState _state;
    private Intake _intake;
    private bool _isWatched;
    private bool _awaitsRetirement;
    private volatile bool _hasFailed;

    internal OutboundSender(Connection connection)
    {
        _connection = connection;
        _queue = new OutboundQueue(connection.Depot);
    }

    internal OutboundQueue Queue => _queue;

    internal TlsLayer? Tls => _tls;

    /// <summary>Whether the transport has failed to send. Any thread.</summary>
    internal bool HasFailed => _hasFailed;

    private EventLoop Loop => _connection.Loop;

    private Lock Gate => _queue.Gate;

    private bool IsFree => _state == SendState.Idle && _intake != Intake.Retired;

    /// <summary>Takes a stage's bytes over and sends them if nobody does. <paramref name="loop"/> is the caller's, if it is one.</summary>
    internal void TakeOver(OutboundStage stage, EventLoop? loop)
    {
        StagedBlocks staged = stage.Detach();
        if (staged.First is null)
        {
            return;
        }

        BlockChain chain = default;
        TlsLayer? tls;
        lock (Gate)
        {
            tls = _tls;
            if (_intake != Intake.Open || staged.Bytes == 0)
            {
                Refuse(staged);
            }
            else if (_state != SendState.Idle || tls is { IsSecured: false })
            {
                // Whoever sends looks at the queue again; while the peer holds it up, the poller will call; and so will the
                // end of a handshake.
                _queue.Add(staged, loop);
                NoticeGrowth();
                return;
            }
            else
            {
                // What the protocol itself has to say goes first.
                tls?.Collect();
                chain = TakeWith(staged, loop);
                _state = SendState.Sending;
            }
        }

        if (chain.IsEmpty)
        {
            Discard(staged.First, loop);
        }
        else
        {
            Send(chain, tls, loop);
        }
    }

    /// <summary>The peer takes bytes again. On the loop.</summary>
    internal void OnWritable()
    {
        BlockChain chain;
        TlsLayer? tls;
        lock (Gate)
        {
            if (_state is SendState.Sending or SendState.SendingWritable)
            {
                _state = SendState.SendingWritable;
                return;
            }

            if (_state is SendState.Lent or SendState.Failed || _intake == Intake.Retired)
            {
                return;
            }

            _state = SendState.Idle;
            if (!TryTake(out chain, out tls))
            {
                EndWatch();
                NoticeEmpty();
                return;
            }
        }

        Send(chain, tls, Loop);
        lock (Gate)
        {
            if (_state != SendState.Blocked && _intake != Intake.Retired)
            {
                EndWatch();
            }
        }
    }

    /// <summary>Sends what is queued, if somebody may and nobody does.</summary>
    internal void Resume(EventLoop? loop)
    {
        BlockChain chain;
        TlsLayer? tls;
        lock (Gate)
        {
            if (!IsFree || !TryTake(out chain, out tls))
            {
                return;
            }
        }

        Send(chain, tls, loop);
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

    /// <summary>
    /// For transports that wait by sending: lends them the first bytes that wait, with the right to send. Empty when there is
    /// nothing to wait for. On the loop; <see cref="EndLoan"/> must follow, on the loop.
    /// </summary>
    internal ReadOnlyMemory<byte> BeginLoan()
    {
        lock (Gate)
        {
            bool may = _state is SendState.Blocked or SendState.Idle && _intake != Intake.Retired;
            Block? first = !may ? null : _tls is null ? _queue.First : _tls.Collect();
            if (first is null)
            {
                _isWatched = false;
                return default;
            }

            _state = SendState.Lent;
            return first.Array.AsMemory(first.Start, Math.Min(first.Length, MostToLend));
        }
    }

    internal void EndLoan(int gone, bool failed)
    {
        lock (Gate)
        {
            _isWatched = false;
            _hasFailed |= failed;
            _state = failed ? SendState.Failed : SendState.Idle;
            if (_tls is not null)
            {
                // It was ciphertext, or what the start of TLS has counted as sent.
                _tls.Collect();
                _tls.ConsumeWire(gone, Loop);
                _queue.CountCiphertext(_tls.Ciphertext);
            }
            else
            {
                _queue.Consume(gone, Loop);
            }

            NoticeRoom();
            if (!failed)
            {
                NoticeEmpty();
            }
        }

        if (_connection.IsClosed)
        {
            DropQueue();
        }
        else if (failed)
        {
            _connection.EndAfterFailedSend();
        }
        else
        {
            Resume(Loop);
            _connection.AdvanceLinger();
        }
    }

    /// <summary>Nothing more is queued. On the loop.</summary>
    internal void Seal()
    {
        lock (Gate)
        {
            if (_intake < Intake.Sealed)
            {
                _intake = Intake.Sealed;
            }
        }
    }

    /// <summary>
    /// Nothing more is sent. True when nobody has the right to send, or only a transport that waits; else the sender calls
    /// <see cref="Connection.EndClosing"/> when it is done: the loop does not wait for it, for it may be further down on the
    /// same thread, or wait for the loop. On the loop, once.
    /// </summary>
    internal bool TryRetire()
    {
        lock (Gate)
        {
            _intake = Intake.Retired;
            _awaitsRetirement = _state is SendState.Sending or SendState.SendingWritable;
            return !_awaitsRetirement;
        }
    }

    /// <summary>Gives all blocks back, unless a transport that waits has one of them. On the loop, when all is over.</summary>
    internal void DropQueue()
    {
        lock (Gate)
        {
            if (_state != SendState.Lent)
            {
                // A loop that has ended, see TryRetire, gets nothing back.
                EventLoop? loop = Loop.IsCurrent ? Loop : null;
                _queue.Clear(loop);
                Recycling.GiveAll(_tls?.DetachWire(), loop);
            }
        }
    }

    /// <summary>For transports that could not be asked before they received: asks again. On the loop.</summary>
    internal void RepeatWatch()
    {
        lock (Gate)
        {
            if (_isWatched)
            {
                _connection.ArmWritable();
            }
        }
    }

    /// <summary>Counts the messages of which neither the peer nor the system can have the end. When nobody sends.</summary>
    internal OutboundCount CountCertainlyUnsent(IOutboundFraming? framing)
    {
        lock (Gate)
        {
            long lent = _state == SendState.Lent && _tls is null && _queue.First is { } first ? Math.Min(first.Length, MostToLend) : 0;
            return _queue.CountBehind(Math.Max(_tls?.Encrypted ?? 0, lent), framing);
        }
    }

    /// <summary>In clear: all that was handed over. Over TLS: what can still leave, in one form or the other.</summary>
    internal bool HasUnsent()
    {
        lock (Gate)
        {
            return _tls is null ? _queue.PendingBytes != 0 : _tls.HasWire || (_tls.IsSecured && _queue.PendingBytes != 0);
        }
    }

    // Entered with the right to send, and leaves without it.
    private void Send(BlockChain chain, TlsLayer? tls, EventLoop? loop)
    {
        SendOutcome outcome;
        bool retires = false;
        while (true)
        {
            SentTally tally = default;
            Block? rest = tls is null
                ? _connection.Send(chain.Head!, loop, ref tally, out outcome)
                : tls.Send(chain.Head, loop, ref tally, out outcome);
            lock (Gate)
            {
                Return(rest, chain.Tail, tls, tally, loop);
                if (outcome == SendOutcome.Sent && TryTake(out chain, out tls))
                {
                    continue;
                }

                retires = End(outcome);
                break;
            }
        }

        if (retires)
        {
            RetireConnection();
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
    private void Return(Block? rest, Block? last, TlsLayer? sentBy, in SentTally tally, EventLoop? loop)
    {
        if (rest is not null && sentBy is null && _tls is not null)
        {
            // TLS was started meanwhile: behind all this, which counts as sent now.
            _queue.Return(null, null, tally, loop);
            _queue.Forget(new BlockChain(rest, last!));
            _tls.Prepend(rest, last!);
        }
        else
        {
            _queue.Return(rest, last, tally, loop);
        }

        if (_tls is not null)
        {
            _queue.CountCiphertext(_tls.Ciphertext);
        }

        NoticeRoom();
    }

    // Under the gate: gives the right to send together with all there is to send.
    private bool TryTake(out BlockChain chain, out TlsLayer? tls)
    {
        chain = default;
        tls = _tls;
        if (_intake == Intake.Retired || !HasWork())
        {
            return false;
        }

        if (tls is null || tls.IsSecured)
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
    private BlockChain TakeWith(in StagedBlocks staged, EventLoop? loop)
    {
        if (_queue.IsEmpty)
        {
            BlockChain chain = _queue.AddAndTakeAll(staged);
            NoticeGrowth(waits: false);
            return chain;
        }

        _queue.Add(staged, loop);
        return _queue.TakeAll();
    }

    private bool HasWork() => _tls is null ? !_queue.IsEmpty : _tls.HasWork(_queue.First);

    // Under the gate. Returns whether the connection waits for this to be closed.
    private bool End(SendOutcome outcome)
    {
        bool isOutOfDate = _state == SendState.SendingWritable;
        _hasFailed |= outcome == SendOutcome.Failed;
        _state = outcome switch
        {
            SendOutcome.Sent => SendState.Idle,
            SendOutcome.Blocked => SendState.Blocked,
            // Nobody needs to try again.
            _ => SendState.Failed,
        };
        if (_intake == Intake.Retired)
        {
            bool awaited = _awaitsRetirement;
            _awaitsRetirement = false;
            return awaited;
        }

        if (outcome == SendOutcome.Blocked)
        {
            HoldUp();
        }

        if (isOutOfDate && outcome != SendOutcome.Failed)
        {
            Loop.Post(_postedWritable ??= OnWritable);
        }

        NoticeEmpty();
        return false;
    }

    // Under the gate, which also orders arming and disarming between loops.
    private void HoldUp()
    {
        NoticeGrowth();
        _isHeldUp = true;
        WatchProgress();
        if (!_isWatched)
        {
            _isWatched = true;
            _connection.ArmWritable();
        }
    }

    private void EndWatch()
    {
        if (_isWatched)
        {
            _isWatched = false;
            _connection.DisarmWritable();
        }
    }

    private void Refuse(in StagedBlocks staged)
    {
        if (_intake == Intake.Full)
        {
            _queue.CountRefused(staged, _connection.Framing);
        }
    }

    // Outside the gate: the handler may take locks of its own, under which others hand over.
    private void Discard(Block first, EventLoop? loop)
    {
        for (Block? at = first; at is not null; at = at.Next)
        {
            if (at.Length != 0)
            {
                _connection.TellDiscarded(at.Array.AsSpan(at.Start, at.Length));
            }
        }

        Recycling.GiveAll(first, loop);
    }

    private void RetireConnection()
    {
        // A loop that has ended waits for nobody: then this thread is the last that knows the connection.
        if (!Loop.TryPost(_connection.EndClosing))
        {
            _connection.EndClosing();
        }
    }
}
