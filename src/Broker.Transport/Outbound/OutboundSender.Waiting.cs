using Broker.Transport.Buffers;
using Broker.Transport.Wire;

namespace Broker.Transport.Outbound;

// What is left of a queue waits for the peer, of whom the poller tells, or for the loop's next turn, which is asked for.
internal sealed partial class OutboundSender
{
    private Action? _postedWritable;
    private Action? _postedGoOn;
    private bool _isWatched;
    private bool _isToGoOn;

    /// <summary>The peer takes bytes again. On the loop.</summary>
    internal void OnWritable()
    {
        BlockChain chain;
        WireLayer? layer;
        lock (Gate)
        {
            if (_isToGoOn)
            {
                return;
            }

            if (_state is SendState.Sending or SendState.SendingWritable)
            {
                _state = SendState.SendingWritable;
                return;
            }

            if (_state is SendState.Lent or SendState.Failed || _intake == Intake.Retired)
            {
                return;
            }

            _state = SendState.Idle;
            if (!TryTake(out chain, out layer))
            {
                EndWatch();
                NoticeEmpty();
                return;
            }
        }

        Send(chain, layer, Loop, MostAtOnce);
        lock (Gate)
        {
            if (_state != SendState.Blocked && _intake != Intake.Retired)
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
    private void HoldUp()
    {
        NoticeFull();
        _isHeldUp = true;
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
        if (!_isToGoOn)
        {
            _isToGoOn = true;
            Loop.Post(_postedGoOn ??= GoOn);
        }
    }

    private void GoOn()
    {
        lock (Gate)
        {
            _isToGoOn = false;
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
