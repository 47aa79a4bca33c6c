namespace Broker.Transport;

// A security layer is inserted once: bytes that were queued before leave ahead of it, later bytes pass through it.
internal sealed partial class OutboundSender
{
    /// <summary>From now on the layer encrypts flushed bytes. On the loop.</summary>
    internal void Insert(SecurityLayer layer)
    {
        lock (Gate)
        {
            BlockChain clear = _queue.TakeAll();
            if (!clear.IsEmpty)
            {
                // Blocks that another thread is sending now return to the front, see PutBack.
                _queue.CountAsSent(clear);
                layer.Post(clear.Head!, clear.Tail!);
                _queue.CountCiphertext(layer.Ciphertext);
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

    /// <summary>Sends a block of ciphertext that the security layer itself produced. Any thread.</summary>
    internal void SendCiphertext(Block block, EventLoop? loop)
    {
        lock (Gate)
        {
            if (_acceptState == AcceptState.Stopped)
            {
                block.Pool.Return(block);
                return;
            }

            _layer!.Post(block, block);
            _queue.CountCiphertext(_layer.Ciphertext);
        }

        Resume(loop);
    }

    /// <summary>Drops messages, see <see cref="OutboundQueue.Drop"/>. Any thread of the group.</summary>
    internal OutboundCount Drop(long bytes, IOutboundFraming framing, EventLoop loop)
    {
        lock (Gate)
        {
            if (_acceptState >= AcceptState.Completed)
            {
                return default;
            }

            // While a sender has taken out the front of the queue, that front contains the encrypted bytes.
            bool isOut = _state is SendState.Sending or SendState.SendingWritable;
            OutboundCount dropped = _queue.Drop(
                bytes, isOut ? 0 : _layer?.Encrypted ?? 0, _state == SendState.AsyncSending && _layer is null, isOut, framing, loop);
            CheckLowWater();
            return dropped;
        }
    }
}
