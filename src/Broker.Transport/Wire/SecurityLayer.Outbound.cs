using Broker.Transport.Buffers;
using Broker.Transport.Outbound;

namespace Broker.Transport.Wire;

// What is encrypted waits here as blocks of ciphertext until the transport has taken it. The plaintext stays in the
// connection's queue till then, so that what was not sent can still be told; at most one chunk is in both forms.
internal abstract partial class SecurityLayer
{
    private const int Chunk = 64 * 1024;

    // Ahead of a peer that takes little: one record of TLS.
    private protected const int SmallChunk = 16 * 1024;

    // Of the thread that has the right to send.
    private Block? _head;
    private Block? _tail;
    private int _encrypted;
    private bool _wasBlocked;
    private long _produced;
    private long _ciphertextSent;

    // Under the connection's gate.
    private Block? _postedHead;
    private Block? _postedTail;
    private long _posted;

    /// <summary>Whether ciphertext waits. Under the connection's gate.</summary>
    internal bool HasCiphertext => _head is not null || _postedHead is not null;

    /// <summary>
    /// How many bytes from the queue's front are encrypted and wait as ciphertext: they can no longer be taken back. Under the
    /// gate, while the queue is whole.
    /// </summary>
    internal int Encrypted => _encrypted;

    /// <summary>Bytes of ciphertext the transport has taken.</summary>
    internal long CiphertextSent => Volatile.Read(ref _ciphertextSent);

    /// <summary>Bytes that the transport has to take before what is queued. Under the gate, with the right to send or when nobody sends.</summary>
    internal long Ciphertext => _produced + _posted - _ciphertextSent;

    /// <summary>Adds blocks that leave as they are. Under the gate.</summary>
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

    /// <summary>Adds blocks that leave as they are and before all others. Under the gate, by the sender.</summary>
    internal void Prepend(Block first, Block last)
    {
        _produced += BlockPools.Measure(first).Bytes;
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
    internal bool HasWork(Block? queued) => Collect() is not null || (queued is not null && IsSecured);

    /// <summary>The transport has taken bytes by itself. Under the gate, with the right to send.</summary>
    internal void ConsumeCiphertext(int sent, EventLoop loop)
    {
        Volatile.Write(ref _ciphertextSent, _ciphertextSent + sent);
        long waste = 0;
        _head = _head is null ? null : BlockPools.Consume(_head, sent, loop, ref waste);
        _tail = _head is null ? null : _tail;
    }

    /// <summary>All blocks that wait. Under the gate, when nobody sends.</summary>
    internal Block? DetachCiphertext()
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
                var wire = new SentTally { MaxBytes = OutboundSender.MaxPerSend };
                _head = Connection.Send(_head, loop, ref wire, out outcome);
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
                chain = BlockPools.Consume(chain, _encrypted, loop, ref tally.Waste);
                tally.Bytes += _encrypted;
                _encrypted = 0;
            }

            if (chain is null)
            {
                return null;
            }

            if (Connection.IsClosed)
            {
                // The loop waits for the right to send, and not for all there is to encrypt.
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
    /// Encrypts from the front of the chain, about as many bytes as there is room for, into what is appended to the wire.
    /// <paramref name="encrypted"/> says how many. With the right to send. False when it cannot: <see cref="Fault"/> says why.
    /// </summary>
    private protected abstract bool TryEncrypt(Block chain, int maxBytes, EventLoop? loop, out int encrypted);

    /// <summary>Room for so many bytes of the wire in one piece, or for less where a piece may be cut; <see cref="Advance"/> follows.</summary>
    /// <param name="least">How many bytes there must be room for.</param>
    /// <param name="expected">How many bytes will come, about: so that they get a block of their size.</param>
    /// <param name="loop">The caller's loop, if it is one.</param>
    private protected Span<byte> Reserve(int least, int expected, EventLoop? loop)
    {
        if (_tail is null || _tail.FreeSpace < least)
        {
            Grow(Math.Max(least, Math.Min(expected, BlockSizes.Stream)), loop);
        }

        return _tail!.Array.AsSpan(_tail.End);
    }

    /// <summary>Counts bytes that were written into <see cref="Reserve"/>.</summary>
    private protected void Advance(int count)
    {
        _tail!.End += count;
        _produced += count;
    }

    private void Grow(int size, EventLoop? loop)
    {
        Block block = BlockPools.Rent(size, loop, Connection.SharedBlocks);
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
