namespace Broker.Transport;

// If a send has not sent everything, the rest of the queue waits: until the transport reports that the peer accepts
// bytes again, until the transport's asynchronous send completes, or until the loop's next iteration.
internal sealed partial class OutboundPump
{
    // An asynchronous send completes only when all of its bytes were sent. Before that, it does not show that the peer
    // still reads. So it is short.
    internal const int MaxAsyncSend = 16 * 1024;

    /// <summary>Called when the peer accepts bytes again. On the loop.</summary>
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

        PumpResult result = Send(chain, layer, Loop, ShareOf(Loop));
        lock (Gate)
        {
            if (!_right.IsBlocked && !_right.IsStopped)
            {
                _continuation.EndWatch(_transport);
            }
        }

        return result;
    }

    /// <summary>Called in the loop's next iteration to continue a send that has yielded. On the loop.</summary>
    internal PumpResult ContinueAfterYield()
    {
        lock (Gate)
        {
            _continuation.EndPost();
        }

        return OnWritable();
    }

    /// <summary>
    /// Asks the transport again to report when the peer accepts bytes. Before the transport began to receive, it may
    /// have been unable to do this. On the loop.
    /// </summary>
    internal void RepeatWatch()
    {
        lock (Gate)
        {
            _continuation.RepeatWatch(_transport);
        }
    }

    /// <summary>
    /// Returns the first waiting bytes, and gives the right to send to the transport, for its asynchronous send.
    /// Returns nothing if no byte has to wait. Otherwise the transport must call <see cref="EndAsyncSend"/> later, on
    /// the loop. On the loop.
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
    /// Called when the transport's asynchronous send has completed. The connection then resumes sending, or closes if
    /// the send has failed. On the loop.
    /// </summary>
    internal void EndAsyncSend(int sent, bool failed)
    {
        lock (Gate)
        {
            _continuation.CountUnwatched();
            _right.EndTransportSend(failed);
            if (_layer is not null)
            {
                // The bytes were ciphertext, or plain bytes that were already counted as sent when TLS was started.
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
