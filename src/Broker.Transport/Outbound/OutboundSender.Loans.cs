using Broker.Transport.Buffers;

namespace Broker.Transport.Outbound;

// Transports that wait by sending: what waits is lent to them, with the right to send it.
internal sealed partial class OutboundSender
{
    // A waiting send ends when all of it has gone, and only then counts as progress of the peer.
    private const int MaxAsyncSend = 16 * 1024;

    /// <summary>
    /// For transports that wait by sending: lends them the first bytes that wait, with the right to send. Empty when there is
    /// nothing to wait for. On the loop; <see cref="EndAsyncSend"/> must follow, on the loop.
    /// </summary>
    internal ReadOnlyMemory<byte> BeginAsyncSend()
    {
        lock (Gate)
        {
            bool may = _state is SendState.Blocked or SendState.Idle && _acceptState != AcceptState.Stopped;
            Block? first = !may ? null : _layer is null ? _queue.First : _layer.Collect();
            if (first is null)
            {
                _isWatched = false;
                return default;
            }

            _state = SendState.AsyncSending;
            return first.Array.AsMemory(first.Start, Math.Min(first.Length, MaxAsyncSend));
        }
    }

    internal void EndAsyncSend(int sent, bool failed)
    {
        lock (Gate)
        {
            _isWatched = false;
            _hasFailed |= failed;
            _state = failed ? SendState.Failed : SendState.Idle;
            if (_layer is not null)
            {
                // It was ciphertext, or what the start of TLS has counted as sent.
                _layer.Collect();
                _layer.ConsumeCiphertext(sent, Loop);
                _queue.CountCiphertext(_layer.Ciphertext);
            }
            else
            {
                _queue.Consume(sent, Loop);
            }

            CheckLowWater();
            if (!failed)
            {
                CheckDrained();
            }
        }

        if (_connection.IsClosed)
        {
            DropQueue();
        }
        else if (failed)
        {
            _connection.EndAfterFailedSend();
        }
        else
        {
            Resume(Loop);
            _connection.AdvanceLinger();
        }
    }
}
