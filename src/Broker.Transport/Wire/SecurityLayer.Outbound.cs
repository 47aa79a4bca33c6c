namespace Broker.Transport;

// Ciphertext waits here in blocks until the transport has accepted it. Until then, the plaintext stays in the
// connection's queue, so that unsent messages can still be reported. At most one chunk exists both as plaintext and as
// ciphertext.
internal abstract partial class SecurityLayer
{
    private const int Chunk = 64 * 1024;

    // The size of a chunk for a peer that accepts few bytes: one TLS record.
    private protected const int SmallChunk = 16 * 1024;

    // These fields belong to the thread that has the right to send.
    private Block? _head;
    private Block? _tail;
    private int _encrypted;
    private bool _wasBlocked;
    private long _produced;
    private long _ciphertextSent;

    // These fields are used under the lock of the queue.
    private Block? _postedHead;
    private Block? _postedTail;
    private long _posted;

    /// <summary>Whether ciphertext waits. The caller holds the lock of the queue.</summary>
    internal bool HasCiphertext => _head is not null || _postedHead is not null;

    /// <summary>
    /// The number of bytes at the front of the queue that are encrypted and wait as ciphertext. These bytes can no
    /// longer be dropped. Under the lock of the queue, while no sender has taken blocks out.
    /// </summary>
    internal int Encrypted => _encrypted;

    /// <summary>The number of bytes of ciphertext that the transport has accepted.</summary>
    internal long CiphertextSent => Volatile.Read(ref _ciphertextSent);

    /// <summary>
    /// The number of bytes that the transport has to accept before the queued bytes. The caller holds the lock of the
    /// queue, and has the right to send unless no thread sends.
    /// </summary>
    internal long Ciphertext => _produced + _posted - _ciphertextSent;

    /// <summary>Adds blocks that are sent unchanged. The caller holds the lock of the queue.</summary>
    internal void Post(Block first, Block last)
    {
        _posted += BlockPools.Measure(first).Bytes;
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

    /// <summary>
    /// Adds blocks that are sent unchanged, before all other blocks. The caller holds the lock of the queue and is the
    /// sender.
    /// </summary>
    internal void Prepend(Block first, Block last)
    {
        _produced += BlockPools.Measure(first).Bytes;
        last.Next = _head;
        _tail ??= last;
        _head = first;
    }

    /// <summary>
    /// Takes over the blocks that other threads have posted. Returns the first block that waits. The caller holds the
    /// lock of the queue and has the right to send.
    /// </summary>
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

    /// <summary>
    /// Whether something can be sent: ciphertext, or the <paramref name="queued"/> bytes if they can be encrypted now.
    /// Must be called under the same conditions as <see cref="Collect"/>.
    /// </summary>
    internal bool HasWork(Block? queued) => Collect() is not null || (queued is not null && IsSecured);

    /// <summary>
    /// Called when the transport's asynchronous send has sent bytes. The caller holds the lock of the queue and has the
    /// right to send.
    /// </summary>
    internal void ConsumeCiphertext(int sent, EventLoop loop)
    {
        Volatile.Write(ref _ciphertextSent, _ciphertextSent + sent);
        long unused = 0;
        _head = _head is null ? null : BlockPools.Consume(_head, sent, loop, ref unused);
        _tail = _head is null ? null : _tail;
    }

    /// <summary>Takes out all waiting blocks. The caller holds the lock of the queue, and no thread sends.</summary>
    internal Block? DetachCiphertext()
    {
        Block? all = Collect();
        _head = _tail = null;
        return all;
    }

    /// <summary>
    /// Encrypts the chain, chunk by chunk, and sends it. Otherwise it is like <see cref="IOutboundTransport.Send"/>.
    /// The caller has the right to send.
    /// </summary>
    internal Block? Send(
        IOutboundTransport transport, Block? chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome)
    {
        while (true)
        {
            if (_head is not null)
            {
                var wire = new SentTally { MaxBytes = SendShare.BytesPerIteration };
                _head = transport.Send(_head, loop, ref wire, out outcome);
                _tail = _head is null ? null : _tail;
                Volatile.Write(ref _ciphertextSent, _ciphertextSent + wire.Bytes);
                _wasBlocked = outcome == SendOutcome.Blocked;
                if (outcome != SendOutcome.Sent)
                {
                    return chain;
                }
            }

            outcome = SendOutcome.Sent;
            if (chain is not null)
            {
                chain = BlockPools.Consume(chain, _encrypted, loop, ref tally.Unused);
                tally.Bytes += _encrypted;
                _encrypted = 0;
            }

            if (chain is null)
            {
                return null;
            }

            if (Connection.IsClosed)
            {
                // The loop waits until this sender gives up the right to send. Encrypting the whole chain would take
                // too long.
                outcome = SendOutcome.Blocked;
                return chain;
            }

            if (tally.Bytes >= tally.MaxBytes)
            {
                outcome = SendOutcome.Yielded;
                return chain;
            }

            if (!TryEncrypt(chain, _wasBlocked ? SmallChunk : Chunk, loop, out _encrypted))
            {
                outcome = SendOutcome.Failed;
                return chain;
            }
        }
    }

    /// <summary>
    /// Encrypts about <paramref name="maxBytes"/> bytes from the front of the chain and appends the ciphertext. Sets
    /// <paramref name="encrypted"/> to the number of encrypted bytes. Returns false if the encryption failed.
    /// <see cref="Fault"/> then contains the reason. The caller has the right to send.
    /// </summary>
    private protected abstract bool TryEncrypt(Block chain, int maxBytes, EventLoop? loop, out int encrypted);

    /// <summary>
    /// Returns space for at least <paramref name="least"/> contiguous bytes of ciphertext. The caller must call
    /// <see cref="Advance"/> afterwards.
    /// </summary>
    /// <param name="least">The necessary number of bytes.</param>
    /// <param name="expected">
    /// The approximate number of bytes that will be written. A new block gets about this size.
    /// </param>
    /// <param name="loop">The caller's loop, or null if the caller is not a loop.</param>
    private protected Span<byte> Reserve(int least, int expected, EventLoop? loop)
    {
        if (_tail is null || _tail.FreeSpace < least)
        {
            Grow(Math.Max(least, Math.Min(expected, BlockSizes.Stream)), loop);
        }

        return _tail!.Array.AsSpan(_tail.End);
    }

    /// <summary>Counts bytes that were written into the space that <see cref="Reserve"/> returned.</summary>
    private protected void Advance(int count)
    {
        _tail!.End += count;
        _produced += count;
    }

    private void Grow(int size, EventLoop? loop)
    {
        Block block = BlockPools.Rent(size, loop, Connection.Loop.Group.SharedBlocks);
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
