namespace Broker.Transport;

// A security layer is inserted once. Bytes that were queued before are sent without it, and later bytes pass through
// it.
internal sealed partial class OutboundPump
{
    /// <summary>From now on the layer encrypts flushed bytes. On the loop.</summary>
    internal void Insert(SecurityLayer layer)
    {
        lock (Gate)
        {
            BlockChain clear = Queue.TakeAll();
            if (!clear.IsEmpty)
            {
                // Blocks that another thread is sending now return to the front, see PutBack.
                Queue.CountAsSent(clear);
                layer.Post(clear.Head!, clear.Tail!);
                Queue.CountCiphertext(layer.Ciphertext);
            }

            _layer = layer;
        }
    }

    /// <summary>The handshake has succeeded. On the loop; <see cref="Resume"/> must follow.</summary>
    internal void Secure()
    {
        lock (Gate)
        {
            _layer!.Secure();
        }
    }

    /// <summary>
    /// Adds a block of ciphertext that the security layer itself produced. Any thread; <see cref="Resume"/> must
    /// follow.
    /// </summary>
    internal void AddCiphertext(Block block)
    {
        lock (Gate)
        {
            if (_right.IsStopped)
            {
                block.Pool.Return(block);
                return;
            }

            _layer!.Post(block, block);
            Queue.CountCiphertext(_layer.Ciphertext);
        }
    }

    /// <summary>
    /// Takes the right to send, to add bytes to the security layer's output; <see cref="EndAddition"/> must follow.
    /// Returns false if another thread is sending.
    /// </summary>
    internal bool TryBeginAddition()
    {
        lock (Gate)
        {
            return _right.TryTake();
        }
    }

    /// <summary>Gives up the right to send; <see cref="Resume"/> must follow.</summary>
    internal void EndAddition()
    {
        lock (Gate)
        {
            _right.Release();
        }
    }
}
