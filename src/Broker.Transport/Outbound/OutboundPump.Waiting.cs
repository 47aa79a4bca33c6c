namespace Broker.Transport;

// The rest of a queue waits until the transport reports that the peer accepts bytes again, until the transport's
// asynchronous send completes, or until the loop's next iteration.
internal sealed partial class OutboundPump
{
    // An asynchronous send completes only when all its bytes were sent, and only then shows that the peer still reads.
    private const int MaxAsyncSend = 16 * 1024;

    private Action? _postedWritable;
    private Action? _postedContinue;
    private bool _isWatched;
    private bool _isContinuePosted;

    /// <summary>The peer accepts bytes again. On the loop.</summary>
    internal PumpResult OnWritable()
    {
        BlockChain chain;
        SecurityLayer? layer;
        lock (Gate)
        {
            if (_isContinuePosted)
            {
                return PumpResult.None;
            }

            if (_state is SendState.Sending or SendState.SendingWritable)
            {
                _state = SendState.SendingWritable;
                return PumpResult.None;
            }

            if (_state is SendState.AsyncSending or SendState.Failed || _acceptState == AcceptState.Stopped)
            {
                return PumpResult.None;
            }

            _state = SendState.Idle;
            if (!TryTake(out chain, out layer))
            {
                EndWatch();
                CheckDrained();
                return PumpResult.None;
            }
        }

        PumpResult result = Send(chain, layer, Loop, MaxPerSend);
        lock (Gate)
        {
            if (_state != SendState.Blocked && _acceptState != AcceptState.Stopped)
            {
                EndWatch();
            }
        }

        return result;
    }

    /// <summary>The loop's next iteration continues a send that has yielded. On the loop.</summary>
    internal PumpResult ContinueAfterYield()
    {
        lock (Gate)
        {
            _isContinuePosted = false;
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
            if (_isWatched)
            {
                _transport.ArmWritable();
            }
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

    /// <summary>
    /// The transport's asynchronous send has completed. The connection then resumes sending, or closes if the send has
    /// failed. On the loop.
    /// </summary>
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
    }

    // Under the lock of the queue, which also orders the calls of ArmWritable and DisarmWritable by several loops.
    private void OnBlocked()
    {
        CheckFull();
        _marks.CountBlocked();
        _deadline.Watch();
        if (!_isWatched)
        {
            _isWatched = true;
            _transport.ArmWritable();
        }
    }

    // Under the lock of the queue. Once per iteration: a poller that also reports a writable peer would otherwise add
    // another send each time.
    private void Yield()
    {
        EndWatch();
        if (!_isContinuePosted)
        {
            _isContinuePosted = true;
            Loop.Post(_postedContinue ??= _sender.Continue);
        }
    }

    private void EndWatch()
    {
        if (_isWatched)
        {
            _isWatched = false;
            _transport.DisarmWritable();
        }
    }
}
