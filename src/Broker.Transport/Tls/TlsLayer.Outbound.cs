using Broker.Transport.Buffers;

namespace Broker.Transport.Tls;

// What is encrypted waits here as blocks of ciphertext until the transport has taken it. The plaintext stays in the
// connection's queue till then, so that what was not sent can still be told; at most one chunk is in both forms.
internal sealed partial class TlsLayer
{
    private const int Chunk = 64 * 1024;

    // Ahead of a peer that takes little: one record.
    private const int SmallChunk = 16 * 1024;

    // What a record adds to its bytes, at most (RFC 5246 section 6.2.3, with the room that implementations leave).
    private const int RecordOverhead = 128;

    // Of the thread that has the right to send.
    private Block? _head;
    private Block? _tail;
    private int _encrypted;
    private int _expected;
    private bool _isHeldUp;
    private long _made;
    private EventLoop? _loop;
    private long _wireSent;
    private volatile int _encryptingThread = -1;

    // Under the connection's gate.
    private Block? _postedHead;
    private Block? _postedTail;
    private long _posted;

    /// <summary>Whether ciphertext waits. Under the connection's gate.</summary>
    internal bool HasWire => _head is not null || _postedHead is not null;

    /// <summary>
    /// How many bytes from the queue's front are encrypted and wait as ciphertext: they can no longer be taken back. Under the
    /// gate, while the queue is whole.
    /// </summary>
    internal int Encrypted => _encrypted;

    /// <summary>Bytes of ciphertext the transport has taken.</summary>
    internal long WireSent => Volatile.Read(ref _wireSent);

    /// <summary>Bytes that the transport has to take before what is queued. Under the gate, with the right to send or when nobody sends.</summary>
    internal long Ciphertext => _made + _posted - _wireSent;

    /// <summary>Adds blocks that leave as they are. Under the gate.</summary>
    internal void Post(Block first, Block last)
    {
        _posted += Recycling.Measure(first).Bytes;
        if (_postedTail is null)
        {
            _postedHead = first;
        }
        else
        {
            _postedTail.Next = first;
        }

        _postedTail = last;
    }

    /// <summary>Adds blocks that leave as they are and before all others. Under the gate, by the sender.</summary>
    internal void Prepend(Block first, Block last)
    {
        _made += Recycling.Measure(first).Bytes;
        last.Next = _head;
        _tail ??= last;
        _head = first;
    }

    /// <summary>Takes what was posted. Under the gate, with the right to send. Returns the first block that waits.</summary>
    internal Block? Collect()
    {
        if (_postedHead is not null)
        {
            if (_tail is null)
            {
                _head = _postedHead;
            }
            else
            {
                _tail.Next = _postedHead;
            }

            _tail = _postedTail;
            _postedHead = _postedTail = null;
        }

        return _head;
    }

    /// <summary>Whether something can be sent: ciphertext, or what is <paramref name="queued"/> once it can be encrypted. As <see cref="Collect"/>.</summary>
    internal bool HasWork(Block? queued) => Collect() is not null || (queued is not null && _secured);

    /// <summary>The transport has taken bytes by itself. Under the gate, with the right to send.</summary>
    internal void ConsumeWire(int gone, EventLoop loop)
    {
        Volatile.Write(ref _wireSent, _wireSent + gone);
        long waste = 0;
        _head = _head is null ? null : Recycling.Consume(_head, gone, loop, ref waste);
        _tail = _head is null ? null : _tail;
    }

    /// <summary>All blocks that wait. Under the gate, when nobody sends.</summary>
    internal Block? DetachWire()
    {
        Block? all = Collect();
        _head = _tail = null;
        return all;
    }

    /// <summary>As <c>Connection.Send</c>, with the right to send: encrypts the chain, chunk by chunk, and sends it.</summary>
    internal Block? Send(Block? chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome)
    {
        while (true)
        {
            if (_head is not null)
            {
                SentTally wire = default;
                _head = _connection.Send(_head, loop, ref wire, out outcome);
                _tail = _head is null ? null : _tail;
                Volatile.Write(ref _wireSent, _wireSent + wire.Bytes);
                _isHeldUp = outcome == SendOutcome.Blocked;
                if (outcome != SendOutcome.Sent)
                {
                    return chain;
                }
            }

            outcome = SendOutcome.Sent;
            if (chain is not null)
            {
                chain = Recycling.Consume(chain, _encrypted, loop, ref tally.Waste);
                tally.Bytes += _encrypted;
                _encrypted = 0;
            }

            if (chain is null)
            {
                return null;
            }

            if (_connection.IsClosed)
            {
                // The loop waits for the right to send, and not for all there is to encrypt.
                outcome = SendOutcome.Blocked;
                return chain;
            }

            if (!TryEncrypt(chain, loop))
            {
                outcome = SendOutcome.Failed;
                return chain;
            }
        }
    }

    /// <summary>Adds the alert that ends our direction to what waits. With the right to send.</summary>
    internal void EncryptGoodbye(EventLoop loop)
    {
        BeginEncrypting(loop);
        try
        {
            Task shutdown = _ssl.ShutdownAsync();
            if (shutdown.IsCompleted)
            {
                shutdown.GetAwaiter().GetResult();
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Then the end of the stream has to do.
            Fault ??= e;
        }
        finally
        {
            _encryptingThread = -1;
        }
    }

    /// <summary>SslStream has ciphertext to send: what was given to it to encrypt, or the protocol's own.</summary>
    internal void Emit(ReadOnlySpan<byte> bytes)
    {
        if (_encryptingThread == Environment.CurrentManagedThreadId)
        {
            Append(bytes);
        }
        else
        {
            Block block = _connection.Depot.Take(bytes.Length);
            bytes.CopyTo(block.Array);
            block.End = bytes.Length;
            _connection.PostWire(block);
        }
    }

    private bool TryEncrypt(Block chain, EventLoop? loop)
    {
        BeginEncrypting(loop);
        try
        {
            int room = _isHeldUp ? SmallChunk : Chunk;
            _expected = Expect(chain, room);
            for (Block? at = chain; at is not null && room > 0; at = at.Next)
            {
                int length = Math.Min(at.Length, room);
                if (length == 0)
                {
                    continue;
                }

                ValueTask write = _ssl.WriteAsync(at.Array.AsMemory(at.Start, length));
                if (!write.IsCompleted)
                {
                    // Only a renegotiation makes it wait, and no thread may wait for a peer.
                    throw new IOException("The peer asked for a renegotiation of TLS.");
                }

                write.GetAwaiter().GetResult();
                _encrypted += length;
                room -= length;
            }

            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Fault ??= e;
            return false;
        }
        finally
        {
            _encryptingThread = -1;
            _expected = 0;
        }
    }

    // How many bytes of ciphertext there will be, about: so that they get a block of their size.
    private static int Expect(Block chain, int room)
    {
        int bytes = 0;
        int records = 1;
        for (Block? at = chain; at is not null && bytes < room; at = at.Next)
        {
            bytes += Math.Min(at.Length, room - bytes);
            records++;
        }

        return bytes + ((records + (bytes / SmallChunk)) * RecordOverhead);
    }

    private void BeginEncrypting(EventLoop? loop)
    {
        _loop = loop;
        _encryptingThread = Environment.CurrentManagedThreadId;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        _made += bytes.Length;
        _expected -= bytes.Length;
        while (!bytes.IsEmpty)
        {
            if (_tail is null || _tail.End == _tail.Array.Length)
            {
                Grow(bytes.Length);
            }

            Block block = _tail!;
            int count = Math.Min(bytes.Length, block.Array.Length - block.End);
            bytes[..count].CopyTo(block.Array.AsSpan(block.End));
            block.End += count;
            bytes = bytes[count..];
        }
    }

    private void Grow(int size)
    {
        // Nothing that is known of is to come after it, but in the renegotiations and tickets of the protocol itself.
        int wanted = Math.Max(size, Math.Min(_expected + size, BlockSizes.Stream));
        Block block = Recycling.Take(wanted, _loop, _connection.Depot);
        if (_tail is null)
        {
            _head = block;
        }
        else
        {
            _tail.Next = block;
        }

        _tail = block;
    }
}
