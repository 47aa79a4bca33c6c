using Broker.Transport.Buffers;
using Broker.Transport.Wire;

namespace Broker.Transport.Outbound;

// What is left of a queue waits for the peer, of whom the poller tells, or for the loop's next turn, which is asked for.
internal sealed partial class OutboundSender
{
    private Action? _postedWritable;
    private Action? _postedContinue;
    private bool _isWatched;
    private bool _isContinuePosted;

    /// <summary>The peer takes bytes again. On the loop.</summary>
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

    /// <summary>For transports that could not be asked before they received: asks again. On the loop.</summary>
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

    // Under the gate, which also orders arming and disarming between loops.
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

    // Under the gate. Once a turn: a poller that says as well that the peer takes bytes would add another each time.
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
