namespace Broker.Transport;

// The write deadline: one timer, started when the peer first holds up the queue and kept running only while it does,
// so that neither a message nor a hold-up costs an allocation or a look at the clock.
public abstract partial class Connection
{
    private int _watching;
    private long _sentAtWatch;

    private void WatchDeadline()
    {
        if (WriteDeadline != Timeout.InfiniteTimeSpan && Interlocked.Exchange(ref _watching, 1) == 0)
        {
            Loop.Run(StartWatch);
        }
    }

    private void StartWatch()
    {
        _sentAtWatch = SentBytes;
        Loop.StartTimer(WriteDeadline, CheckDeadline);
    }

    private void CheckDeadline()
    {
        bool blocked;
        lock (_gate)
        {
            blocked = _blocked && !_retired;
        }

        if (!blocked)
        {
            Volatile.Write(ref _watching, 0);
            return;
        }

        if (SentBytes == _sentAtWatch)
        {
            CloseOnLoop(CloseReason.SlowConsumer, null, TimeSpan.Zero);
            return;
        }

        StartWatch();
    }
}
