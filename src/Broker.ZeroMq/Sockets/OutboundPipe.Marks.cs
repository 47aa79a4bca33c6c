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

        IsFull = _stage is null ? !GrantFromBacklog(size) : !Grant(size) && !GrantAfterSending(size);
        return !IsFull;
    }

    private bool GrantFromBacklog(int size)
    {
        if (_backlog is null || _backlog.Count >= _most || (_backlog.Count > 0 && _backlog.Bytes + size > _mostBytes))
        {
            return false;
        }

        _credit = _most - _backlog.Count;
        _byteCredit = Math.Max(size, _mostBytes - _backlog.Bytes);
        return true;
    }

    // The end of a turn would do it too, but then no turn could send more than the mark.
    private bool GrantAfterSending(int size)
    {
        if (!TryHandOver())
        {
            return false;
        }

        if (Grant(size))
        {
            return true;
        }

        AwaitRoom();
        return false;
    }

    private bool Grant(int size)
    {
        Look();
        long pending = Pending;
        long waiting = _connection!.HeldBytes + _stage!.Length;
        if (pending >= _most || (waiting > 0 && waiting + size > _mostBytes))
        {
            return false;
        }

        _granted = _credit = (int)Math.Min(_step, _most - pending);
        _byteCredit = Math.Max(size, _mostBytes - waiting);
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
        if (_stage is null)
        {
            return _backlog is { } backlog && backlog.Count <= LowWater && backlog.Bytes <= _mostBytes / 2;
        }

        if (!TryHandOver())
        {
            return false;
        }

        Look();
        if (Pending <= LowWater && _connection!.HeldBytes <= _mostBytes / 2)
        {
            return true;
        }

        AwaitRoom();
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

    private void AwaitRoom()
    {
        long waits = Pending <= LowWater ? _mostBytes / 2 : Math.Min(_mostBytes / 2, Position - _marks.PositionFor(LowWater));
        _connection!.LowWaterBytes = waits;
        _connection.RequestLowWater();
    }
}
