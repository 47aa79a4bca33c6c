using Broker.Transport.Buffers;

namespace Broker.Transport.Outbound;

// Transports that wait by sending: what waits is lent to them, with the right to send it.
internal sealed partial class OutboundSender
{
    // A waiting send ends when all of it has gone, and only then counts as progress of the peer.
    private const int MostToLend = 16 * 1024;

    /// <summary>
    /// For transports that wait by sending: lends them the first bytes that wait, with the right to send. Empty when there is
    /// nothing to wait for. On the loop; <see cref="EndLoan"/> must follow, on the loop.
    /// </summary>
    internal ReadOnlyMemory<byte> BeginLoan()
    {
        lock (Gate)
        {
            bool may = _state is SendState.Blocked or SendState.Idle && _intake != Intake.Retired;
            Block? first = !may ? null : _layer is null ? _queue.First : _layer.Collect();
            if (first is null)
            {
                _isWatched = false;
                return default;
            }

            _state = SendState.Lent;
            return first.Array.AsMemory(first.Start, Math.Min(first.Length, MostToLend));
        }
    }

    internal void EndLoan(int gone, bool failed)
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
                _layer.ConsumeWire(gone, Loop);
                _queue.CountCiphertext(_layer.Ciphertext);
            }
            else
            {
                _queue.Consume(gone, Loop);
            }

            NoticeRoom();
            if (!failed)
            {
                NoticeEmpty();
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
