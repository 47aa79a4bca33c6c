using Broker.Transport.Buffers;

namespace Broker.Transport.Wire;

/// <summary>Records of a protocol's own cipher.</summary>
internal sealed class RecordLayer(Connection connection, RecordCipher cipher) : WireLayer(connection)
{
    // The part of the wire that was received and not read: what is kept, then what is lent.
    private InboundRest _kept;
    private byte[] _lent = [];
    private int _lentStart;
    private int _lentEnd;

    // What is left to be read of the first record, once it is open, and how long that is on the wire.
    private int _unread;
    private int _opened;
    private bool _ended;
    private volatile bool _secured;

    internal override bool IsSecured => _secured;

    internal override bool AwaitsPeer => false;

    private bool HasFailed => Fault is not null;

    internal override void Secure() => _secured = true;

    internal override void Abort(Exception error) => Fault ??= error;

    internal override int FeedHandshake(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.IsEmpty)
        {
            _kept.Append(bytes);
        }

        return _kept.Length;
    }

    internal override void EndHandshakeFeed() => _ended = true;

    internal override void Feed(byte[] wire, int count)
    {
        _ended |= count == 0;
        _lent = wire;
        _lentStart = 0;
        _lentEnd = count;
    }

    internal override void EndFeed()
    {
        if (_lentEnd != _lentStart)
        {
            _kept.Append(_lent.AsSpan(_lentStart, _lentEnd - _lentStart));
        }

        _lent = [];
        _lentStart = _lentEnd = 0;
    }

    internal override bool IsReadable() => HasFailed || _opened != 0 || TryOpenNext() || HasFailed || _ended;

    internal override int Read(Memory<byte> buffer, out ReceiveOutcome outcome)
    {
        Span<byte> destination = buffer.Span;
        int total = 0;
        while (total < destination.Length && (_opened != 0 || TryOpenNext()))
        {
            int count = Math.Min(_unread, destination.Length - total);
            cipher.Read(First()[.._opened], destination.Slice(total, count));
            total += count;
            _unread -= count;
            if (_unread == 0)
            {
                Consume();
            }
        }

        outcome = total != 0 ? ReceiveOutcome.Received
            : HasFailed ? ReceiveOutcome.Failed
            : _ended ? ReceiveOutcome.EndOfStream
            : ReceiveOutcome.Received;
        return total;
    }

    internal override void Dispose()
    {
        _kept.Release();
        cipher.Dispose();
    }

    private protected override bool TryEncrypt(Block chain, int room, EventLoop? loop, out int encrypted)
    {
        encrypted = 0;
        try
        {
            int left = Math.Min(room, Measure(chain, room));
            for (Block? at = chain; at is not null && room > 0; at = at.Next)
            {
                int start = at.Start;
                while (start < at.End && room > 0)
                {
                    ReadOnlySpan<byte> written = at.Array.AsSpan(start, at.End - start);
                    int length = cipher.MeasurePiece(written, out int size);

                    // Small pieces grow most, and as a rule those that follow are like this one.
                    long expected = left <= length ? size : (long)left * size / length;
                    Span<byte> record = Reserve(size, (int)Math.Min(expected, BlockSizes.Stream), loop);
                    cipher.Seal(written[..length], record[..size]);
                    Advance(size);
                    start += length;
                    encrypted += length;
                    room -= length;
                    left -= length;
                }
            }

            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Fault ??= e;
            return false;
        }
    }

    private static int Measure(Block chain, int most)
    {
        int bytes = 0;
        for (Block? at = chain; at is not null && bytes < most; at = at.Next)
        {
            bytes += Math.Min(at.Length, most - bytes);
        }

        return bytes;
    }

    private ReadOnlySpan<byte> First() => _kept.Length != 0 ? _kept.Bytes : _lent.AsSpan(_lentStart, _lentEnd - _lentStart);

    // Opens the next record that has something in it, if it is complete.
    private bool TryOpenNext()
    {
        while (!HasFailed && TryComplete(out int size))
        {
            _opened = size;
            _unread = cipher.Open(First()[..size]);
            if (_unread < 0)
            {
                Refuse();
            }
            else if (_unread != 0)
            {
                return true;
            }
            else
            {
                Consume();
            }
        }

        return false;
    }

    private bool TryComplete(out int size)
    {
        while (true)
        {
            size = cipher.MeasureRecord(First());
            if (size < 0)
            {
                Refuse();
                return false;
            }

            if (size <= First().Length)
            {
                return size != 0;
            }

            // Only what the record is short of is copied to its beginning.
            int missing = Math.Min(size - _kept.Length, _lentEnd - _lentStart);
            if (_kept.Length == 0 || missing <= 0)
            {
                return false;
            }

            _kept.Append(_lent.AsSpan(_lentStart, missing));
            _lentStart += missing;
        }
    }

    private void Consume()
    {
        if (_kept.Length != 0)
        {
            _kept.PutBack(_kept.TakeOut(), _opened);
        }
        else
        {
            _lentStart += _opened;
        }

        _opened = 0;
    }

    private void Refuse()
    {
        _opened = 0;
        _unread = 0;
        Fault ??= new InvalidDataException("A record of the peer was refused.");
    }
}
