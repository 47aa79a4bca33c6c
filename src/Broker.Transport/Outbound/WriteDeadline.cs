namespace Broker.Transport;

/// <summary>
/// Closes a connection whose peer accepts no bytes for too long. One timer starts when the queue begins to wait for the
/// peer, and runs only while the queue waits. So a message or a wait costs neither an allocation nor a clock read.
/// </summary>
internal sealed class WriteDeadline(Connection connection, OutboundPump pump)
{
    private bool _isRunning;
    private long _progressBefore;
    private LoopTimer? _timer;

    /// <summary>
    /// The longest time in which the peer may accept no bytes. <see cref="Timeout.InfiniteTimeSpan"/> means no limit.
    /// </summary>
    internal TimeSpan Limit { get; set; } = TimeSpan.FromSeconds(10);

    // This number grows whenever the peer accepts bytes. A chunk of TLS counts as sent only when all of it was sent.
    // But each accepted byte of ciphertext already shows that the peer still reads.
    private long Progress => pump.Queue.SentBytes + (pump.Layer?.CiphertextSent ?? 0);

    /// <summary>Called when the queue has to wait for the peer. The caller holds the lock of the queue.</summary>
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
