namespace Broker.Transport;

// The write deadline: one timer, started when the peer first holds up the queue and kept running only while it does,
// so that neither a message nor a hold-up costs an allocation or a look at the clock.
public abstract partial class Connection
{
    private bool _watching;
    private long _sentAtWatch;
    private LoopTimer? _deadlineTimer;

    // Under _gate.
    private void WatchDeadline()
    {
        if (!_watching && WriteDeadline != Timeout.InfiniteTimeSpan)
        {
            _watching = true;
            Loop.Run(StartWatch);
        }
    }

    private void StartWatch()
    {
        if (!IsClosed)
        {
            _sentAtWatch = SentBytes;
            _deadlineTimer = Loop.StartTimer(WriteDeadline, CheckDeadline);
        }
    }

    private void CheckDeadline()
    {
        lock (_gate)
        {
            if (!_blocked && !_sendWaits)
            {
                _watching = false;
                return;
            }
        }

        if (SentBytes == _sentAtWatch)
        {
            CloseOnLoop(CloseReason.SlowConsumer, null, TimeSpan.Zero);
            return;
        }

        StartWatch();
    }
}
