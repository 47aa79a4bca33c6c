namespace Broker.Transport;

// A security layer is inserted once. Bytes that were queued before this are sent without the layer, and later bytes
// pass through it.
internal sealed partial class OutboundPump
{
    /// <summary>Makes the layer encrypt flushed bytes from now on. On the loop.</summary>
    internal void Insert(SecurityLayer layer)
    {
        lock (Gate)
        {
            BlockChain clear = Queue.TakeAll();
            if (!clear.IsEmpty)
            {
                // Another thread may be sending blocks now. They return to the front of these blocks later, see
                // PutBack.
                Queue.CountAsSent(clear);
                layer.Post(clear.Head!, clear.Tail!);
                Queue.CountCiphertext(layer.Ciphertext);
            }

            _layer = layer;
        }
    }

    /// <summary>The handshake has succeeded. The caller must call <see cref="Resume"/> next. On the loop.</summary>
    internal void Secure()
    {
        lock (Gate)
        {
            _layer!.Secure();
        }
    }

    /// <summary>
    /// Adds a block of ciphertext that the security layer itself produced. The caller must call <see cref="Resume"/>
    /// afterwards. Any thread.
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
    /// Takes the right to send, so that the caller can add bytes to the security layer's output. The caller must then
    /// call <see cref="EndAddition"/>. Returns false if another thread is sending.
    /// </summary>
    internal bool TryBeginAddition()
    {
        lock (Gate)
        {
            return _right.TryTake();
        }
    }

    /// <summary>Gives up the right to send. The caller must call <see cref="Resume"/> afterwards.</summary>
    internal void EndAddition()
    {
        lock (Gate)
        {
            _right.Release();
        }
    }
}
