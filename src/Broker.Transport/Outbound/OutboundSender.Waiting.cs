namespace Broker.Transport;

// The rest of a queue waits until the poller reports that the peer accepts bytes again, or until the loop's next
// iteration.
internal sealed partial class OutboundSender
{
    private Action? _postedWritable;
    private Action? _postedContinue;
    private bool _isWatched;
    private bool _isContinuePosted;

    /// <summary>The peer accepts bytes again. On the loop.</summary>
    internal void OnWritable()
    {
        BlockChain chain;
        SecurityLayer? layer;
        lock (Gate)
        {
            if (_isContinuePosted)
            {
                return;
            }

            if (_state is SendState.Sending or SendState.SendingWritable)
            {
                _state = SendState.SendingWritable;
                return;
            }

            if (_state is SendState.AsyncSending or SendState.Failed || _acceptState == AcceptState.Stopped)
            {
                return;
            }

            _state = SendState.Idle;
            if (!TryTake(out chain, out layer))
            {
                EndWatch();
                CheckDrained();
                return;
            }
        }

        Send(chain, layer, Loop, MaxPerSend);
        lock (Gate)
        {
            if (_state != SendState.Blocked && _acceptState != AcceptState.Stopped)
            {
                EndWatch();
            }
        }
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
                _connection.ArmWritable();
            }
        }
    }

    // Under the lock of the queue, which also orders the calls of ArmWritable and DisarmWritable by several loops.
    private void OnBlocked()
    {
        CheckFull();
        _wasBlocked = true;
        WatchProgress();
        if (!_isWatched)
        {
            _isWatched = true;
            _connection.ArmWritable();
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
            Loop.Post(_postedContinue ??= ContinueAfterYield);
        }
    }

    private void ContinueAfterYield()
    {
        lock (Gate)
        {
            _isContinuePosted = false;
        }

        OnWritable();
    }

    private void EndWatch()
    {
        if (_isWatched)
        {
            _isWatched = false;
            _connection.DisarmWritable();
        }
    }
}
