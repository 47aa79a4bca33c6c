namespace Broker.Transport;

/// <summary>Encrypts and decrypts the records of a protocol that has a cipher of its own.</summary>
internal sealed class RecordLayer(Connection connection, RecordCipher cipher) : SecurityLayer(connection)
{
    // The received ciphertext that is not opened yet: first the buffered bytes, then the borrowed bytes.
    private UnconsumedBuffer _buffered = new(connection.Loop.ReceiveBuffers.Arrays);
    private byte[] _borrowed = [];
    private int _borrowedStart;
    private int _borrowedEnd;

    // The first record may be opened and partly read: the number of its plain bytes that are unread, and its size in
    // ciphertext.
    private int _unread;
    private int _openedSize;
    private bool _ended;
    private volatile bool _secured;
    private bool _disposed;
    private int _counted;

    internal override bool IsSecured => _secured;

    internal override bool AwaitsPeer => false;

    internal override int KeptBytes => _buffered.Length;

    private bool HasFailed => Fault is not null;

    internal override void Secure() => _secured = true;

    internal override void Abort(Exception error) => Fault ??= error;

    internal override int FeedHandshake(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.IsEmpty)
        {
            _buffered.Append(bytes);
            Count();
        }

        return _buffered.Length;
    }

    internal override void EndHandshakeFeed() => _ended = true;

    internal override void Feed(byte[] wire, int count)
    {
        _ended |= count == 0;
        _borrowed = wire;
        _borrowedStart = 0;
        _borrowedEnd = count;
    }

    internal override void EndFeed()
    {
        // A handler may have closed the connection since the bytes were borrowed.
        if (_borrowedEnd != _borrowedStart && !_disposed)
        {
            _buffered.Append(_borrowed.AsSpan(_borrowedStart, _borrowedEnd - _borrowedStart));
        }

        Count();

        _borrowed = [];
        _borrowedStart = _borrowedEnd = 0;
    }

    internal override bool IsReadable() => HasFailed || _openedSize != 0 || TryOpenNext() || HasFailed || _ended;

    internal override int Read(Memory<byte> buffer, out ReceiveOutcome outcome)
    {
        Span<byte> destination = buffer.Span;
        int total = 0;
        while (total < destination.Length && (_openedSize != 0 || TryOpenNext()))
        {
            int count = Math.Min(_unread, destination.Length - total);
            cipher.Read(First()[.._openedSize], destination.Slice(total, count));
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
        _disposed = true;
        _buffered.Release();
        Count();
        cipher.Dispose();
    }

    // The memory is not counted for each record, but once after all bytes that were received together.
    private void Count()
    {
        if (_buffered.CountedBytes is var kept && kept != _counted)
        {
            Connection.ReceiveMemory.Count(kept - _counted);
            _counted = kept;
        }
    }

    private protected override bool TryEncrypt(Block chain, int maxBytes, EventLoop? loop, out int encrypted)
    {
        encrypted = 0;
        try
        {
            int left = Math.Min(maxBytes, Measure(chain, maxBytes));
            for (Block? at = chain; at is not null && maxBytes > 0; at = at.Next)
            {
                int start = at.Start;
                while (start < at.End && maxBytes > 0)
                {
                    ReadOnlySpan<byte> written = at.Array.AsSpan(start, at.End - start);
                    int length = cipher.MeasurePlaintext(written, out int size);

                    // Small plaintexts grow most when they are encrypted. The next plaintexts are usually as small as
                    // this one.
                    long expected = left <= length ? size : (long)left * size / length;
                    Span<byte> record = Reserve(size, (int)Math.Min(expected, BlockSizes.Stream), loop);
                    cipher.Seal(written[..length], record[..size]);
                    Advance(size);
                    start += length;
                    encrypted += length;
                    maxBytes -= length;
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

    private ReadOnlySpan<byte> First() => _buffered.Length != 0 ? _buffered.Bytes : _borrowed.AsSpan(_borrowedStart, _borrowedEnd - _borrowedStart);

    // Opens the next complete record whose plaintext is not empty. Returns false if there is no such record.
    private bool TryOpenNext()
    {
        while (!HasFailed && TryComplete(out int size))
        {
            _openedSize = size;
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

            // Only the missing bytes of the record are copied, behind the beginning of the record.
            int missing = Math.Min(size - _buffered.Length, _borrowedEnd - _borrowedStart);
            if (_buffered.Length == 0 || missing <= 0)
            {
                return false;
            }

            _buffered.Append(_borrowed.AsSpan(_borrowedStart, missing));
            _borrowedStart += missing;
        }
    }

    private void Consume()
    {
        if (_buffered.Length != 0)
        {
            _buffered.PutBack(_buffered.TakeOut(), _openedSize);
        }
        else
        {
            _borrowedStart += _openedSize;
        }

        _openedSize = 0;
    }

    private void Refuse()
    {
        _openedSize = 0;
        _unread = 0;
        Fault ??= new InvalidDataException("A record of the peer was refused.");
    }
}
