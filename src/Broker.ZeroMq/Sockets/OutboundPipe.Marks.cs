using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Sockets;

// How much may still be written.
internal sealed partial class OutboundPipe
{
    // Where the stream of the connection ends with what was written so far, commands included.
    private long Position => _connection!.HandedOverBytes + _stage!.Length;

    private long Pending => _marks.Written - _marks.Sent;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Recount(int size)
    {
        if (_newest is not null)
        {
            return TryGrantNewest(size);
        }

        long share = _budget.Share;
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

    // A message passes that is larger than the mark, and no credit outlasts the memory that was there when it was given.
    private long CreditFor(int size, long room) => Math.Max(size, Math.Min(room, _budget.Step));

    // The end of a turn would do it too, but then no turn could send more than the mark.
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
        long waiting = _connection!.HeldBytes + _stage!.Length;
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
        long share = _budget.Share;
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
        if (Pending <= LowWater && _connection!.HeldBytes <= most / 2)
        {
            return true;
        }

        AwaitRoom(share);
        return false;
    }

    // Below the mark, which did not refuse it.
    private bool HasAnyRoom()
    {
        long share = _budget.Share;
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
        if (Pending < _most && _connection!.HeldBytes < most)
        {
            return true;
        }

        AwaitRoom(share);
        return false;
    }

    // As libzmq: when half of the mark has been sent.
    private int LowWater => _most / 2;

    // False when the connection has ended by that.
    private bool TryHandOver()
    {
        if (_isShared)
        {
            Flush();
        }
        else
        {
            _connection!.HandOver(_loop);
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

    // A peer that takes nothing may have been refused only because of others.
    private void AwaitEnough(long share)
    {
        if (share != long.MaxValue)
        {
            _socket.AwaitEnough();
        }
    }
}
