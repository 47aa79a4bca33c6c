namespace Broker.Transport;

/// <summary>
/// Closes a connection whose peer accepts no bytes for too long. One timer starts when the queue first has to wait for
/// the peer and runs only while it waits. So neither a message nor a wait costs an allocation or a clock read.
/// </summary>
internal sealed class WriteDeadline(Connection connection, OutboundPump pump)
{
    private bool _isRunning;
    private long _progressBefore;
    private LoopTimer? _timer;

    /// <summary>How long the peer may accept nothing; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</summary>
    internal TimeSpan Limit { get; set; } = TimeSpan.FromSeconds(10);

    // Grows whenever the peer accepts bytes. A chunk of TLS counts as sent only when all of it was sent, but any accepted
    // byte shows that the peer still reads.
    private long Progress => pump.Queue.SentBytes + (pump.Layer?.CiphertextSent ?? 0);

    /// <summary>The queue has to wait for the peer. Under the lock of the queue.</summary>
    internal void Watch()
    {
        if (!_isRunning && Limit != Timeout.InfiniteTimeSpan)
        {
            _isRunning = true;
            connection.Loop.Run(Start);
        }
    }

    /// <summary>Cancels the timer. On the loop.</summary>
    internal void Cancel()
    {
        _timer?.Cancel();
        _timer = null;
    }

    private void Start()
    {
        if (!connection.IsClosed)
        {
            _progressBefore = Progress;
            _timer = connection.Loop.StartTimer(Limit, Check);
        }
    }

    private void Check()
    {
        lock (pump.Queue.Gate)
        {
            if (!pump.Right.IsWaitingForPeer)
            {
                _isRunning = false;
                return;
            }
        }

        if (Progress == _progressBefore)
        {
            connection.CloseOnLoop(CloseReason.WriteTimeout, null, TimeSpan.Zero);
            return;
        }

        Start();
    }
}
