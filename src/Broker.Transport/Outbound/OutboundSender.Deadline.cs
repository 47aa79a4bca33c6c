namespace Broker.Transport;

// The write deadline: one timer that starts when the queue first has to wait for the peer and runs only while it
// waits. So neither a message nor a wait costs an allocation or a clock read.
internal sealed partial class OutboundSender
{
    private bool _isTimed;
    private long _progressBefore;
    private LoopTimer? _deadlineTimer;

    internal TimeSpan WriteDeadline { get; set; } = TimeSpan.FromSeconds(10);

    // A chunk of TLS counts as sent only when all of it was sent, but any accepted byte shows that the peer still
    // reads.
    private long Progress => _queue.SentBytes + (_layer?.CiphertextSent ?? 0);

    /// <summary>Cancels the timer. On the loop.</summary>
    internal void CancelDeadline()
    {
        _deadlineTimer?.Cancel();
        _deadlineTimer = null;
    }

    // Under the gate.
    private void WatchProgress()
    {
        if (!_isTimed && WriteDeadline != Timeout.InfiniteTimeSpan)
        {
            _isTimed = true;
            Loop.Run(StartTimer);
        }
    }

    private void StartTimer()
    {
        if (!_connection.IsClosed)
        {
            _progressBefore = Progress;
            _deadlineTimer = Loop.StartTimer(WriteDeadline, CheckDeadline);
        }
    }

    private void CheckDeadline()
    {
        lock (Gate)
        {
            if (_state is not (SendState.Blocked or SendState.AsyncSending))
            {
                _isTimed = false;
                return;
            }
        }

        if (Progress == _progressBefore)
        {
            _connection.CloseOnLoop(CloseReason.WriteTimeout, null, TimeSpan.Zero);
            return;
        }

        StartTimer();
    }
}
