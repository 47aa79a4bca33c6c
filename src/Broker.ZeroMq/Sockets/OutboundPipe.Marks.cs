using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Sockets;

// The room of the pipe: how much may still be written.
internal sealed partial class OutboundPipe
{
    // The position in the connection's stream after everything that was written so far, including commands.
    private long Position => _connection!.FlushedBytes + _stage!.Length;

    private long Pending => _marks.Written - _marks.Sent;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Recount(int size)
    {
        if (_newest is not null)
        {
            return TryGrantNewest(size);
        }

        long share = _budget.PerPeerLimit;
        IsFull = _stage is null ? !GrantFromBacklog(size, share) : !Grant(size, share) && !GrantAfterSending(size, share);
        return !IsFull;
    }

    private bool GrantFromBacklog(int size, long share)
    {
        if (_backlog is null || _backlog.Count >= _most)
        {
            return false;
        }

        long most = Math.Min(_mostBytes, share);
        if (_backlog.Count > 0 && _backlog.Bytes + size > most)
        {
            AwaitEnough(share);
            return false;
        }

        _credit = _most - _backlog.Count;
        _byteCredit = CreditFor(size, most - _backlog.Bytes);
        return true;
    }

    // At least one message is allowed, even if it is larger than the mark. The credit is limited to one step of the
    // memory budget, so that it does not outlast the memory it was based on.
    private long CreditFor(int size, long room) => Math.Max(size, Math.Min(room, _budget.Granularity));

    // The loop flushes at the end of an iteration anyway, but without this flush an iteration could send no more than
    // one mark.
    private bool GrantAfterSending(int size, long share)
    {
        if (!TryHandOver())
        {
            return false;
        }

        if (Grant(size, share))
        {
            return true;
        }

        AwaitRoom(share);
        return false;
    }

    private bool Grant(int size, long share)
    {
        Look();
        long pending = Pending;
        long waiting = _connection!.BufferedBytes + _stage!.Length;
        long most = Math.Min(_mostBytes, share);
        if (pending >= _most || (waiting > 0 && waiting + size > most))
        {
            return false;
        }

        _granted = _credit = (int)Math.Min(_step, _most - pending);
        _byteCredit = CreditFor(size, most - waiting);
        return true;
    }

    private void Look()
    {
        if (_granted != _credit)
        {
            _marks.Add(Position, _marks.Written + _granted - _credit);
            _granted = _credit;
        }

        _marks.Advance(_connection!.SentBytes);
    }

    private bool HasRoomBelowLowWater()
    {
        long share = _budget.PerPeerLimit;
        long most = Math.Min(_mostBytes, share);
        if (_stage is null)
        {
            return _backlog is { } backlog && backlog.Count <= LowWater && backlog.Bytes <= most / 2;
        }

        if (!TryHandOver())
        {
            return false;
        }

        Look();
        if (Pending <= LowWater && _connection!.BufferedBytes <= most / 2)
        {
            return true;
        }

        AwaitRoom(share);
        return false;
    }

    // Whether there is any room. Used if only the shortage of memory, and not the mark, refused a message.
    private bool HasAnyRoom()
    {
        long share = _budget.PerPeerLimit;
        long most = Math.Min(_mostBytes, share);
        if (_stage is null)
        {
            AwaitEnough(share);
            return _backlog is { } backlog && backlog.Count < _most && backlog.Bytes < most;
        }

        if (!TryHandOver())
        {
            return false;
        }

        Look();
        if (Pending < _most && _connection!.BufferedBytes < most)
        {
            return true;
        }

        AwaitRoom(share);
        return false;
    }

    // As in libzmq: half of the mark must have been sent.
    private int LowWater => _most / 2;

    // Returns false if the flush has ended the connection.
    private bool TryHandOver()
    {
        if (_isShared)
        {
            Flush();
        }
        else
        {
            _connection!.Flush(_loop);
        }

        return _stage is not null;
    }

    private void AwaitRoom(long share)
    {
        long most = Math.Min(_mostBytes, share);
        long waits = Pending <= LowWater ? most / 2 : Math.Min(most / 2, Position - _marks.PositionFor(LowWater));
        _connection!.LowWaterBytes = waits;
        _connection.RequestLowWater();
        AwaitEnough(share);
    }

    // The memory of other peers may be the only reason why this peer was refused, so its own progress may not signal
    // room.
    private void AwaitEnough(long share)
    {
        if (share != long.MaxValue)
        {
            _socket.AwaitEnough();
        }
    }
}
