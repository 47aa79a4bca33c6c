namespace Broker.Transport;

/// <summary>
/// The right to send a connection's queue. It knows which thread has the right, or what the queue waits for, and
/// whether the queue still accepts bytes. Used under the lock of the queue.
/// </summary>
internal struct SendRight
{
    private SendState _state;
    private AcceptState _acceptState;
    private bool _stopAwaitsSender;
    private volatile bool _hasFailed;

    /// <summary>Whether the queue accepts flushed bytes.</summary>
    internal readonly AcceptState AcceptState => _acceptState;

    /// <summary>Whether the transport has failed to send. Any thread.</summary>
    internal readonly bool HasFailed => _hasFailed;

    /// <summary>Whether the connection is closed, and nothing is sent any more.</summary>
    internal readonly bool IsStopped => _acceptState == AcceptState.Stopped;

    /// <summary>Whether no thread sends, and the transport is expected to accept bytes.</summary>
    internal readonly bool IsIdle => _state == SendState.Idle;

    /// <summary>Whether a thread may take the right now.</summary>
    internal readonly bool IsFree => IsIdle && !IsStopped;

    /// <summary>Whether a thread has the right.</summary>
    internal readonly bool IsTaken => _state is SendState.Sending or SendState.SendingWritable;

    /// <summary>Whether the transport accepts no more bytes.</summary>
    internal readonly bool IsBlocked => _state == SendState.Blocked;

    /// <summary>Whether the transport has the right, for its asynchronous send.</summary>
    internal readonly bool IsAsyncSending => _state == SendState.AsyncSending;

    /// <summary>Whether the queue waits until the peer accepts bytes.</summary>
    internal readonly bool IsWaitingForPeer => IsBlocked || IsAsyncSending;

    /// <summary>Takes the right, unless the caller already has it.</summary>
    internal void Take()
    {
        if (IsIdle)
        {
            _state = SendState.Sending;
        }
    }

    /// <summary>Takes the right if it is free.</summary>
    internal bool TryTake()
    {
        if (!IsFree)
        {
            return false;
        }

        _state = SendState.Sending;
        return true;
    }

    /// <summary>Gives up the right after a use that sent nothing.</summary>
    internal void Release() => _state = SendState.Idle;

    /// <summary>
    /// Called when the transport accepts bytes again. Returns whether the caller may take the right. If a thread has
    /// the right now, this thread learns about it at the end of its send.
    /// </summary>
    internal bool TryUnblock()
    {
        if (IsTaken)
        {
            _state = SendState.SendingWritable;
            return false;
        }

        if (_state is SendState.AsyncSending or SendState.Failed || IsStopped)
        {
            return false;
        }

        _state = SendState.Idle;
        return true;
    }

    /// <summary>Gives up the right after a send.</summary>
    /// <param name="outcome">How the send ended.</param>
    /// <param name="isOutdated">Whether the transport has reported during the send that it accepts bytes.</param>
    /// <returns>Whether the connection was closed during this send and waits for the end of the send.</returns>
    internal bool End(SendOutcome outcome, out bool isOutdated)
    {
        isOutdated = _state == SendState.SendingWritable;
        _hasFailed |= outcome == SendOutcome.Failed;
        _state = outcome switch
        {
            // The state is also Idle if other connections come first. The next flush then sends the waiting bytes
            // before its own bytes.
            SendOutcome.Sent or SendOutcome.Yielded => SendState.Idle,
            SendOutcome.Blocked => SendState.Blocked,
            // After a failure, no thread must try again.
            _ => SendState.Failed,
        };
        bool wasAwaited = IsStopped && _stopAwaitsSender;
        _stopAwaitsSender &= !wasAwaited;
        return wasAwaited;
    }

    /// <summary>Whether the transport may take the right for an asynchronous send.</summary>
    internal readonly bool MayTransportSend => _state is SendState.Blocked or SendState.Idle && !IsStopped;

    /// <summary>The transport takes the right for an asynchronous send.</summary>
    internal void BeginTransportSend() => _state = SendState.AsyncSending;

    /// <summary>The transport gives up the right after its asynchronous send.</summary>
    internal void EndTransportSend(bool failed)
    {
        _hasFailed |= failed;
        _state = failed ? SendState.Failed : SendState.Idle;
    }

    /// <summary>Called when the limit is reached. Returns false if the queue already accepted no more bytes.</summary>
    internal bool TryFill()
    {
        bool isOpen = _acceptState == AcceptState.Open;
        _acceptState = isOpen ? AcceptState.Full : _acceptState;
        return isOpen;
    }

    /// <summary>From now on, the queue accepts no bytes.</summary>
    internal void CompleteAdding()
    {
        if (_acceptState < AcceptState.Completed)
        {
            _acceptState = AcceptState.Completed;
        }
    }

    /// <summary>
    /// Stops sending for good. Returns whether no thread has the right. If a thread has the right, its call of
    /// <see cref="End"/> will return true.
    /// </summary>
    internal bool TryStop()
    {
        _acceptState = AcceptState.Stopped;
        _stopAwaitsSender = IsTaken;
        return !_stopAwaitsSender;
    }
}
