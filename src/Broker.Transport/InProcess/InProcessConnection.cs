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
    private InProcessConnection _peer = null!;
    private Block? _head;
    private Block? _tail;
    private long _waiting;
    private byte[] _rest = [];
    private int _restLength;
    private bool _open;
    private bool _scheduled;
    private bool _peerWaits;
    private bool _ended;
    private bool _released;

    internal InProcessConnection(EventLoop loop, ConnectionHandler handler)
        : base(loop, handler) => _postedRead = () => OnReadable(1);

    public override EndPoint? RemoteEndPoint => null;

    internal void Join(InProcessConnection peer) => _peer = peer;

    /// <inheritdoc/>
    internal override void OnReadable(int ready)
    {
        Block? chain;
        bool ended;
        long taken;
        lock (_inboundGate)
        {
            chain = _head;
            _head = _tail = null;
            taken = _waiting;
            _scheduled = false;
            ended = _ended;
        }

        while (chain is not null)
        {
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
            _waiting -= taken;
            resume = _peerWaits && _waiting <= HighWater / 2;
            _peerWaits &= !resume;
        }

        if (resume)
        {
            _peer.Loop.Run(_peer.OnWritable);
        }

        if (ended)
        {
            CloseOnLoop(CloseReason.Peer, null, TimeSpan.Zero);
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
        long bytes = 0;
        Block last = chain;
        for (Block? at = chain; at is not null; at = at.Next)
        {
            bytes += at.Length;
            last = at;
        }

        outcome = _peer.Accept(chain, last, bytes, loop);
        sent = outcome == SendOutcome.Sent ? bytes : 0;
        return outcome == SendOutcome.Sent ? null : chain;
    }

    // The peer remembers that this end waits; it calls OnWritable.
    private protected override void ArmWritable()
    {
    }

    private protected override void DisarmWritable()
    {
    }

    private protected override void ShutdownSend() => _peer.End();

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

        _rest = [];
        _restLength = 0;
    }

    private protected override void ReleaseTransport() => _peer.End();

    private SendOutcome Accept(Block chain, Block last, long bytes, EventLoop? senderLoop)
    {
        lock (_inboundGate)
        {
            if (_released)
            {
                return SendOutcome.Failed;
            }

            if (_waiting >= HighWater)
            {
                _peerWaits = true;
                return SendOutcome.Blocked;
            }

            if (_tail is null)
            {
                _head = chain;
            }
            else
            {
                _tail.Next = chain;
            }

            _tail = last;
            _waiting += bytes;
            if (!_open || _scheduled)
            {
                return SendOutcome.Sent;
            }

            _scheduled = true;
        }

        Schedule(senderLoop);
        return SendOutcome.Sent;
    }

    private void End()
    {
        lock (_inboundGate)
        {
            if (_ended)
            {
                return;
            }

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
        if (_restLength != 0)
        {
            if (_rest.Length < _restLength + bytes.Length)
            {
                Array.Resize(ref _rest, Math.Max(_restLength + bytes.Length, _rest.Length * 2));
            }

            bytes.CopyTo(_rest.AsSpan(_restLength));
            bytes = _rest.AsSpan(0, _restLength + bytes.Length);
        }

        int consumed = bytes.Length;
        int needed = 0;
        try
        {
            consumed = Handler.OnReceived(this, bytes, ref needed);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }

        ReadOnlySpan<byte> left = IsOpen ? bytes[consumed..] : default;
        if (left.Length > _rest.Length)
        {
            _rest = new byte[Math.Max(left.Length, 4096)];
        }

        left.CopyTo(_rest);
        _restLength = left.Length;
    }
}
