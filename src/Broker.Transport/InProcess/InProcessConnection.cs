using System.Net;
using Broker.Transport.Buffers;

namespace Broker.Transport.InProcess;

/// <summary>One end of a link in memory. The blocks that the peer's loops filled are parsed where they lie.</summary>
internal sealed class InProcessConnection : Connection
{
    // What the handler has not seen yet; above it the peer waits, as it would for a full socket buffer.
    private const long HighWater = 1024 * 1024;

    private readonly Lock _inboundGate = new();
    private readonly Action _postedRead;
    private readonly Action _postedResume;
    private InProcessConnection _peer = null!;
    private Block? _head;
    private Block? _tail;
    private long _waiting;
    private bool _open;
    private bool _scheduled;
    private bool _peerWaits;
    private bool _ended;
    private bool _released;

    internal InProcessConnection(EventLoop loop, ConnectionHandler handler)
        : base(loop, handler)
    {
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
            if (!IsHeld)
            {
                chain = _head;
                _head = _tail = null;
            }
            else if (_head is not null)
            {
                return;
            }
        }

        if (chain is not null && !DeliverChain(chain))
        {
            return;
        }

        if (ended && !(IsHeld && (IsYielded || Kept != 0)))
        {
            EndOfPeer();
        }
    }

    private protected override void ContinueReceiving()
    {
        DeliverKept();
        if (!IsHeld && !IsClosed)
        {
            OnReadable(1);
        }
    }

    private protected override void ReceiveOn()
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

    // False when some of it is still to be delivered.
    private bool DeliverChain(Block? chain)
    {
        long taken = 0;
        while (chain is not null && !IsHeld)
        {
            taken += chain.Length;
            if (IsOpen)
            {
                Receive(chain.Array.AsSpan(chain.Start, chain.Length));
            }

            Block empty = chain;
            chain = chain.Next;
            Give(empty, Loop);
        }

        bool resume;
        lock (_inboundGate)
        {
            if (chain is not null)
            {
                PutBack(chain);
            }

            _waiting -= taken;
            resume = _peerWaits && _waiting <= HighWater / 2;
            _peerWaits &= !resume;
        }

        if (resume)
        {
            _peer.Resume();
        }

        return chain is null;
    }

    // Under the gate.
    private void PutBack(Block chain)
    {
        Block last = chain;
        while (last.Next is not null)
        {
            last = last.Next;
        }

        last.Next = _head;
        _head = chain;
        _tail ??= last;
    }

    private void EndOfPeer()
    {
        if (_peer.IsReleased)
        {
            CloseOnLoop(CloseReason.Peer, null, TimeSpan.Zero);
        }
        else
        {
            OnPeerEnded();
        }
    }

    private protected override void StartReceiving()
    {
        lock (_inboundGate)
        {
            _open = true;
            if (_head is null && !_ended)
            {
                return;
            }

            _scheduled = true;
        }

        Loop.MarkReadable(this);
    }

    private protected override Block? Send(Block chain, EventLoop? loop, out long sent, out SendOutcome outcome)
    {
        Block? rest = _peer.Accept(chain, loop, out sent, out bool refused);
        outcome = refused ? SendOutcome.Failed : rest is null ? SendOutcome.Sent : SendOutcome.Blocked;
        return rest;
    }

    // The peer remembers that this end waits; it calls OnWritable.
    private protected override void ArmWritable()
    {
    }

    private protected override void DisarmWritable()
    {
    }

    private protected override void ShutdownSend() => _peer.End();

    private protected override void StopReceiving()
    {
    }

    private protected override void ReleaseInbound()
    {
        lock (_inboundGate)
        {
            _released = true;
            for (Block? at = _head; at is not null;)
            {
                Block empty = at;
                at = at.Next;
                Give(empty, Loop);
            }

            _head = _tail = null;
        }

        ReleaseKept();
    }

    private protected override void ReleaseTransport() => _peer.End();

    // Takes blocks until the high water, and returns the first that has to wait.
    private Block? Accept(Block chain, EventLoop? senderLoop, out long bytes, out bool refused)
    {
        bytes = 0;
        Block? rest = chain;
        lock (_inboundGate)
        {
            refused = _released;
            if (refused)
            {
                return rest;
            }

            Block? last = null;
            while (rest is not null && _waiting < HighWater)
            {
                bytes += rest.Length;
                _waiting += rest.Length;
                last = rest;
                rest = rest.Next;
            }

            _peerWaits = rest is not null;
            if (last is null)
            {
                return rest;
            }

            last.Next = null;
            if (_tail is null)
            {
                _head = chain;
            }
            else
            {
                _tail.Next = chain;
            }

            _tail = last;
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
            // Maybe for the second time: first the peer's stream ends and then the peer.
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

    // Writers keep a message within one block, so there is hardly ever a rest to join.
    private void Receive(ReadOnlySpan<byte> bytes)
    {
        if (Kept != 0)
        {
            DeliverAppended(bytes);
        }
        else if (!bytes.IsEmpty)
        {
            Deliver(bytes);
        }
    }
}
