namespace Broker.Transport;

// Ciphertext waits here in blocks until the transport has accepted it. The plaintext stays in the connection's queue
// until then, so that unsent messages can still be reported. At most one chunk exists in both forms.
internal abstract partial class SecurityLayer
{
    private const int Chunk = 64 * 1024;

    // The size of a chunk for a peer that accepts little: one record of TLS.
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

    /// <summary>Whether ciphertext waits. Under the lock of the queue.</summary>
    internal bool HasCiphertext => _head is not null || _postedHead is not null;

    /// <summary>
    /// How many bytes at the front of the queue are encrypted and wait as ciphertext: they can no longer be dropped.
    /// Under the lock of the queue, while no sender has taken blocks out.
    /// </summary>
    internal int Encrypted => _encrypted;

    /// <summary>The number of bytes of ciphertext that the transport has accepted.</summary>
    internal long CiphertextSent => Volatile.Read(ref _ciphertextSent);

    /// <summary>
    /// The number of bytes that the transport has to accept before the queued ones. Under the lock of the queue, with
    /// the right to send or when no thread sends.
    /// </summary>
    internal long Ciphertext => _produced + _posted - _ciphertextSent;

    /// <summary>Adds blocks that are sent unchanged. Under the lock of the queue.</summary>
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
    /// Adds blocks that are sent unchanged and before all others. Under the lock of the queue, by the sender.
    /// </summary>
    internal void Prepend(Block first, Block last)
    {
        _produced += BlockPools.Measure(first).Bytes;
        last.Next = _head;
        _tail ??= last;
        _head = first;
    }

    /// <summary>
    /// Takes over the blocks that other threads have posted. Under the lock of the queue, with the right to send.
    /// Returns the first block that waits.
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
    /// Under the same conditions as <see cref="Collect"/>.
    /// </summary>
    internal bool HasWork(Block? queued) => Collect() is not null || (queued is not null && IsSecured);

    /// <summary>
    /// The transport's asynchronous send has sent bytes. Under the lock of the queue, with the right to send.
    /// </summary>
    internal void ConsumeCiphertext(int sent, EventLoop loop)
    {
        Volatile.Write(ref _ciphertextSent, _ciphertextSent + sent);
        long unused = 0;
        _head = _head is null ? null : BlockPools.Consume(_head, sent, loop, ref unused);
        _tail = _head is null ? null : _tail;
    }

    /// <summary>Takes out all waiting blocks. Under the lock of the queue, when no thread sends.</summary>
    internal Block? DetachCiphertext()
    {
        Block? all = Collect();
        _head = _tail = null;
        return all;
    }

    /// <summary>
    /// Encrypts the chain, chunk by chunk, and sends it; otherwise the same as <see cref="IOutboundTransport.Send"/>.
    /// With the right to send.
    /// </summary>
    internal Block? Send(
        IOutboundTransport transport, Block? chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome)
    {
        while (true)
        {
            if (_head is not null)
            {
                var wire = new SentTally { MaxBytes = OutboundPump.MaxPerSend };
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
                // The loop waits for this sender to give up the right to send; encrypting everything would take too
                // long.
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
    /// <paramref name="encrypted"/> to the number of encrypted bytes. With the right to send. Returns false if it
    /// failed; <see cref="Fault"/> then has the reason.
    /// </summary>
    private protected abstract bool TryEncrypt(Block chain, int maxBytes, EventLoop? loop, out int encrypted);

    /// <summary>
    /// Returns space for at least <paramref name="least"/> contiguous bytes of ciphertext; <see cref="Advance"/> must
    /// follow.
    /// </summary>
    /// <param name="least">How much space is needed.</param>
    /// <param name="expected">About how many bytes will follow: they get a block of that size.</param>
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
