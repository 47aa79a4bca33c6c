namespace Broker.Transport;

// The write deadline: one timer, started when the peer first holds up the queue and kept running only while it does,
// so that neither a message nor a hold-up costs an allocation or a look at the clock.
public abstract partial class Connection
{
    private bool _watching;
    private long _sentAtWatch;
    private LoopTimer? _deadlineTimer;

    // A chunk of TLS counts as sent only when all of it has gone, but whatever the peer takes shows that it lives.
    private long Progress => SentBytes + (_tls?.WireSent ?? 0);

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
            _sentAtWatch = Progress;
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

        if (Progress == _sentAtWatch)
        {
            CloseOnLoop(CloseReason.SlowConsumer, null, TimeSpan.Zero);
            return;
        }

        StartWatch();
    }
}
