namespace Broker.Transport;

// The rest of a queue waits until the transport reports that the peer accepts bytes again, until the transport's
// asynchronous send completes, or until the loop's next iteration.
internal sealed partial class OutboundPump
{
    // An asynchronous send completes only when all its bytes were sent, and only then shows that the peer still reads.
    internal const int MaxAsyncSend = 16 * 1024;

    /// <summary>The peer accepts bytes again. On the loop.</summary>
    internal PumpResult OnWritable()
    {
        BlockChain chain;
        SecurityLayer? layer;
        lock (Gate)
        {
            if (_continuation.IsPosted || !_right.TryUnblock())
            {
                return PumpResult.None;
            }

            if (!TryTake(out chain, out layer))
            {
                _continuation.EndWatch(_transport);
                CheckDrained();
                return PumpResult.None;
            }
        }

        PumpResult result = Send(chain, layer, Loop, MaxPerSend);
        lock (Gate)
        {
            if (!_right.IsBlocked && !_right.IsStopped)
            {
                _continuation.EndWatch(_transport);
            }
        }

        return result;
    }

    /// <summary>The loop's next iteration continues a send that has yielded. On the loop.</summary>
    internal PumpResult ContinueAfterYield()
    {
        lock (Gate)
        {
            _continuation.EndPost();
        }

        return OnWritable();
    }

    /// <summary>
    /// Asks the transport again to report when the peer accepts bytes: a transport may not have been able to do this
    /// before it received. On the loop.
    /// </summary>
    internal void RepeatWatch()
    {
        lock (Gate)
        {
            _continuation.RepeatWatch(_transport);
        }
    }

    /// <summary>
    /// Returns the first waiting bytes, and gives the transport the right to send, for its asynchronous send. Empty if
    /// nothing has to wait. On the loop; <see cref="EndAsyncSend"/> must follow, on the loop.
    /// </summary>
    internal ReadOnlyMemory<byte> BeginAsyncSend()
    {
        lock (Gate)
        {
            Block? first = !_right.MayTransportSend ? null : _layer is null ? Queue.First : _layer.Collect();
            if (first is null)
            {
                _continuation.CountUnwatched();
                return default;
            }

            _right.BeginTransportSend();
            return first.Array.AsMemory(first.Start, Math.Min(first.Length, MaxAsyncSend));
        }
    }

    /// <summary>
    /// The transport's asynchronous send has completed. The connection then resumes sending, or closes if the send has
    /// failed. On the loop.
    /// </summary>
    internal void EndAsyncSend(int sent, bool failed)
    {
        lock (Gate)
        {
            _continuation.CountUnwatched();
            _right.EndTransportSend(failed);
            if (_layer is not null)
            {
                // The bytes were ciphertext, or bytes that the start of TLS has counted as sent.
                _layer.Collect();
                _layer.ConsumeCiphertext(sent, Loop);
                Queue.CountCiphertext(_layer.Ciphertext);
            }
            else
            {
                Queue.Consume(sent, Loop);
            }

            Marks.CheckLowWater();
            if (!failed)
            {
                CheckDrained();
            }
        }
    }
}
