using Broker.Transport.Buffers;
using Broker.Transport.Wire;

namespace Broker.Transport.Outbound;

// TLS is put in between once: what was queued before goes ahead of it, what comes later through it.
internal sealed partial class OutboundSender
{
    /// <summary>From now on what is handed over is encrypted. On the loop.</summary>
    internal void Insert(SecurityLayer layer)
    {
        lock (Gate)
        {
            BlockChain clear = _queue.TakeAll();
            if (!clear.IsEmpty)
            {
                // What another thread is sending at this time comes back to the front, see Return.
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

    /// <summary>Sends a block of ciphertext that is the protocol's own. Any thread.</summary>
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

            // While a sender has the front of the queue out, what is encrypted is there.
            bool isOut = _state is SendState.Sending or SendState.SendingWritable;
            OutboundCount dropped = _queue.Drop(
                bytes, isOut ? 0 : _layer?.Encrypted ?? 0, _state == SendState.AsyncSending && _layer is null, isOut, framing, loop);
            CheckLowWater();
            return dropped;
        }
    }
}
