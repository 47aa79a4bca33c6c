namespace Broker.Transport;

// For transports that wait for the peer with an asynchronous send: they get the waiting bytes and the right to send.
internal sealed partial class OutboundSender
{
    // An asynchronous send completes only when all its bytes were sent, and only then shows that the peer still reads.
    private const int MaxAsyncSend = 16 * 1024;

    /// <summary>
    /// Returns the first waiting bytes, and gives the transport the right to send, for its asynchronous send. Empty if
    /// nothing has to wait. On the loop; <see cref="EndAsyncSend"/> must follow, on the loop.
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
                // The bytes were ciphertext, or bytes that the start of TLS has counted as sent.
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
