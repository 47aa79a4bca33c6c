using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Loops;

// This part computes how many messages and bytes may still be written to the pipe.
internal sealed partial class OutboundPipe
{
    // The position in the connection's stream after everything that was written so far, including commands.
    private long Position => _connection!.FlushedBytes + _buffer!.Length;

    private long Pending => _marks.Written - _marks.Sent;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryRefillCredit(int size)
    {
        if (IsEnding)
        {
            IsFull = _newest is null;
            return false;
        }

        if (_newest is not null)
        {
            return TryGrantConflated(size);
        }

        long share = _budget.PerPeerLimit;
        IsFull = _buffer is null
            ? !TryGrantFromBacklog(size, share)
            : !TryGrant(size, share) && !TryGrantAfterFlush(size, share);
        return !IsFull;
    }

    private bool TryGrantFromBacklog(int size, long share)
    {
        if (_backlog is null || _backlog.Count >= _maxMessages)
        {
            return false;
        }

        long most = Math.Min(_maxBytes, share);
        if (_backlog.Count > 0 && _backlog.Bytes + size > most)
        {
            NotifyWhenMemoryAvailable(share);
            return false;
        }

        _credit = _maxMessages - _backlog.Count;
        _byteCredit = CreditFor(size, most - _backlog.Bytes);
        return true;
    }

    // The credit allows at least one message, even a message that is larger than the high-water mark. The credit is
    // limited to one step of the memory budget, because other peers may use up the free memory while the credit lasts.
    private long CreditFor(int size, long room) => Math.Max(size, Math.Min(room, _budget.Granularity));

    // The loop flushes at the end of an iteration anyway. But without this flush, one iteration could send no more
    // messages than the high-water mark allows.
    private bool TryGrantAfterFlush(int size, long share)
    {
        if (!TryFlush())
        {
            return false;
        }

        if (TryGrant(size, share))
        {
            return true;
        }

        RequestLowWater(share);
        return false;
    }

    private bool TryGrant(int size, long share)
    {
        UpdateMarks();
        long pending = Pending;
        long waiting = _connection!.BufferedBytes + _buffer!.Length;
        long most = Math.Min(_maxBytes, share);
        if (pending >= _maxMessages || (waiting > 0 && waiting + size > most))
        {
            return false;
        }

        _granted = _credit = (int)Math.Min(_step, _maxMessages - pending);
        _byteCredit = CreditFor(size, most - waiting);
        return true;
    }

    private void UpdateMarks()
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
        long most = Math.Min(_maxBytes, share);
        if (_buffer is null)
        {
            return _backlog is { } backlog && backlog.Count <= LowWater && backlog.Bytes <= most / 2;
        }

        if (!TryFlush())
        {
            return false;
        }

        UpdateMarks();
        if (Pending <= LowWater && _connection!.BufferedBytes <= most / 2)
        {
            return true;
        }

        RequestLowWater(share);
        return false;
    }

    // Whether there is any room. Used if a message was refused only because memory was short, and not because of the
    // high-water mark.
    private bool HasAnyRoom()
    {
        long share = _budget.PerPeerLimit;
        long most = Math.Min(_maxBytes, share);
        if (_buffer is null)
        {
            NotifyWhenMemoryAvailable(share);
            return _backlog is { } backlog && backlog.Count < _maxMessages && backlog.Bytes < most;
        }

        if (!TryFlush())
        {
            return false;
        }

        UpdateMarks();
        if (Pending < _maxMessages && _connection!.BufferedBytes < most)
        {
            return true;
        }

        RequestLowWater(share);
        return false;
    }

    // As in libzmq, a full pipe has room again when half of the high-water mark has been sent.
    private int LowWater => _maxMessages / 2;

    // Returns false if the flush has ended the connection.
    private bool TryFlush()
    {
        if (_isShared)
        {
            Flush();
        }
        else
        {
            _connection!.Flush(_loop);
        }

        return _buffer is not null;
    }

    private void RequestLowWater(long share)
    {
        long most = Math.Min(_maxBytes, share);
        long waits = Pending <= LowWater ? most / 2 : Math.Min(most / 2, Position - _marks.PositionFor(LowWater));
        _connection!.LowWaterBytes = waits;
        _connection.RequestLowWater();
        NotifyWhenMemoryAvailable(share);
    }

    // Other peers may have used up the memory. Then the progress of this peer alone does not signal room, so the memory
    // budget must signal it.
    private void NotifyWhenMemoryAvailable(long share)
    {
        if (share != long.MaxValue)
        {
            _socket.NotifyWhenMemoryAvailable();
        }
    }
}
