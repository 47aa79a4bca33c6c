using System.Net;

namespace Broker.Transport;

/// <summary>
/// One end of an in-process link. The blocks that the peer's loops have filled are parsed without a copy.
/// </summary>
internal sealed class InProcessConnection : Connection, IInboundTransport, IOutboundTransport
{
    private readonly Lock _inboundGate = new();
    private readonly long _window;
    private readonly Action _postedRead;
    private readonly Action _postedResume;
    private InProcessConnection _peer = null!;
    private BlockChain _inbound;
    private long _waiting;
    private bool _open;
    private bool _scheduled;
    private bool _isPeerBlocked;
    private bool _ended;
    private bool _released;

    /// <param name="loop">The loop of this end.</param>
    /// <param name="handler">The handler of this end.</param>
    /// <param name="window">
    /// The number of bytes that this end accepts before its handler has received them. If more bytes wait, the peer has
    /// to wait, as for a full socket buffer.
    /// </param>
    internal InProcessConnection(EventLoop loop, ConnectionHandler handler, long window)
        : base(loop, handler)
    {
        _window = window;
        _postedRead = () => OnReadable(1);
        _postedResume = OnWritable;
    }

    public override EndPoint? RemoteEndPoint => null;

    private bool IsReleased
    {
        get
        {
            lock (_inboundGate)
            {
                return _released;
            }
        }
    }

    internal void Join(InProcessConnection peer) => _peer = peer;

    /// <inheritdoc/>
    internal override void OnReadable(int ready)
    {
        Block? chain = null;
        bool ended;
        lock (_inboundGate)
        {
            _scheduled = false;
            ended = _ended;
            if (!Gate.IsPaused)
            {
                chain = _inbound.TakeAll().Head;
            }
            else if (!_inbound.IsEmpty)
            {
                return;
            }
        }

        if (chain is not null && !DeliverChain(chain))
        {
            return;
        }

        if (ended && !(Gate.IsPaused && (Gate.IsYielded || Inbound.Count != 0)))
        {
            EndOfPeer();
        }
    }

    public void ContinueReceiving()
    {
        Inbound.DeliverUnconsumed();
        if (!Gate.IsPaused && !IsClosed)
        {
            OnReadable(1);
        }
    }

    public void RearmReceive()
    {
        lock (_inboundGate)
        {
            if (!_open || _scheduled)
            {
                return;
            }

            _scheduled = true;
        }

        Loop.MarkReadable(this);
    }

    // Returns false if some of the blocks still have to be delivered.
    private bool DeliverChain(Block? chain)
    {
        long taken = 0;
        while (chain is not null && !Gate.IsPaused)
        {
            taken += chain.Length;
            if (IsOpen)
            {
                Receive(chain.Array.AsSpan(chain.Start, chain.Length));
            }

            Block empty = chain;
            chain = chain.Next;
            taken += chain is null ? 0 : empty.FreeSpace;
            BlockPools.Return(empty, Loop);
        }

        bool resume;
        lock (_inboundGate)
        {
            if (chain is not null)
            {
                PutBack(chain);
            }

            _waiting -= taken;
            resume = _isPeerBlocked && _waiting <= _window / 2;
            _isPeerBlocked &= !resume;
        }

        if (resume)
        {
            _peer.Resume();
        }

        return chain is null;
    }

    // The caller holds the lock.
    private void PutBack(Block chain)
    {
        Block last = chain;
        while (last.Next is not null)
        {
            last = last.Next;
        }

        _waiting += _inbound.PutBack(chain, last, Loop);
    }

    private void EndOfPeer()
    {
        if (_peer.IsReleased)
        {
            CloseOnLoop(CloseReason.Peer, null, TimeSpan.Zero);
        }
        else
        {
            Closing.OnPeerEnded();
        }
    }

    public void StartReceiving()
    {
        lock (_inboundGate)
        {
            _open = true;
            if (_inbound.IsEmpty && !_ended)
            {
                return;
            }

            _scheduled = true;
        }

        Loop.MarkReadable(this);
    }

    public Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome)
    {
        Block? rest = _peer.Accept(chain, loop, ref tally, out bool refused);
        outcome = refused ? SendOutcome.Failed : rest is null ? SendOutcome.Sent : SendOutcome.Blocked;
        return rest;
    }

    // The peer's Accept records that this end waits. The peer calls OnWritable later.
    public void ArmWritable()
    {
    }

    public void DisarmWritable()
    {
    }

    public void ShutdownSend() => _peer.End();

    public void StopReceiving()
    {
    }

    public void ReleaseInbound()
    {
        lock (_inboundGate)
        {
            _released = true;
            BlockPools.ReturnAll(_inbound.TakeAll().Head, Loop);
        }

        Inbound.Release();
    }

    public void ReleaseTransport() => _peer.End();

    // Accepts blocks up to the window, and returns the first block that has to wait. Unread blocks are packed. They and
    // the unused space between them count against the window.
    private Block? Accept(Block chain, EventLoop? senderLoop, ref SentTally tally, out bool refused)
    {
        Block? rest = chain;
        lock (_inboundGate)
        {
            refused = _released;
            if (refused)
            {
                return rest;
            }

            bool takes = false;
            while (rest is not null && _waiting < _window)
            {
                Block block = rest;
                rest = block.Next;
                int length = block.Length;
                tally.Bytes += length;
                tally.Unused += rest is null ? 0 : block.FreeSpace;
                block.Next = null;
                _waiting += length + _inbound.Pack(block, _waiting, senderLoop, _peer.Loop.Group.SharedBlocks);
                takes = true;
            }

            _isPeerBlocked = rest is not null;
            if (!takes)
            {
                return rest;
            }

            if (!_open || _scheduled)
            {
                return rest;
            }

            _scheduled = true;
        }

        Schedule(senderLoop);
        return rest;
    }

    private void Resume()
    {
        if (Loop.IsCurrent)
        {
            OnWritable();
        }
        else
        {
            Loop.Post(_postedResume);
        }
    }

    private void End()
    {
        lock (_inboundGate)
        {
            // This may be the second call: the first when the peer's stream ends, and the second when the peer closes.
            _ended = true;
            if (!_open || _scheduled || _released)
            {
                return;
            }

            _scheduled = true;
        }

        Schedule(null);
    }

    private void Schedule(EventLoop? senderLoop)
    {
        if (senderLoop == Loop)
        {
            Loop.MarkReadable(this);
        }
        else
        {
            Loop.Post(_postedRead);
        }
    }

    // Writers keep a message within one block, so a handler rarely leaves bytes unconsumed.
    private void Receive(ReadOnlySpan<byte> bytes)
    {
        Inbound.CountReceived(bytes.Length);
        if (Inbound.Count != 0)
        {
            Inbound.DeliverAppended(bytes);
        }
        else if (!bytes.IsEmpty)
        {
            Inbound.Keep(bytes[Inbound.Deliver(bytes)..]);
        }
    }
}
