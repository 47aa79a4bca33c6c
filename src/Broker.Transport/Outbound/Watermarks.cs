namespace Broker.Transport;

/// <summary>
/// The limits of a connection's queue. This class reports when the queue is above its high-water mark, when it has
/// fallen to its low-water mark, and when it is empty again. Used under the lock of the queue, unless a member states
/// otherwise.
/// </summary>
internal sealed class Watermarks(Connection connection, OutboundSender sender, OutboundQueue queue)
{
    private long _lowWater;
    private long _highWater;
    private bool _isAboveLowWater;
    private bool _isLowWaterRequested;
    private bool _wasBlocked;
    private Action? _postedLowWater;
    private Action? _postedDrained;

    /// <summary>The most memory that may wait for the peer. Used without the lock.</summary>
    internal long MaxPendingBytes { get; set; } = 64L * 1024 * 1024;

    /// <summary>The mark above which writers should write less; 0 for no mark. The setter takes the lock.</summary>
    internal long HighWaterBytes
    {
        get => Volatile.Read(ref _highWater);
        set
        {
            lock (queue.Gate)
            {
                Volatile.Write(ref _highWater, value);
                CheckHighWater();
            }
        }
    }

    /// <summary>
    /// The mark at which a writer may continue; 0 for no mark. The setter takes the lock. If the queue is above a new
    /// mark, this counts as a rise above the mark.
    /// </summary>
    internal long LowWaterBytes
    {
        get => Volatile.Read(ref _lowWater);
        set
        {
            lock (queue.Gate)
            {
                Volatile.Write(ref _lowWater, value);
                _isAboveLowWater = value != 0 && queue.BufferedBytes > value;
            }
        }
    }

    /// <summary>Whether more memory waits than the limit allows.</summary>
    internal bool IsFull => queue.BufferedBytes > MaxPendingBytes;

    /// <inheritdoc cref="Connection.RequestLowWater"/>
    /// <remarks>Takes the lock of the queue.</remarks>
    internal void RequestLowWater()
    {
        lock (queue.Gate)
        {
            _isLowWaterRequested = true;
            CountRise();
            CheckLowWater();
        }
    }

    /// <summary>Called when bytes were flushed into the queue.</summary>
    internal void CountFlush()
    {
        CountRise();
        CheckHighWater();
    }

    /// <summary>Called when the queue has to wait for the peer.</summary>
    internal void CountBlocked() => _wasBlocked = true;

    /// <summary>
    /// Posts the report of low water if it is due. A writer may ask for space while the queue is below the mark. Its
    /// message may need more space than there is, so it gets the report only when the queue is empty.
    /// </summary>
    internal void CheckLowWater()
    {
        CheckHighWater();
        long buffered = queue.BufferedBytes;
        if ((_isAboveLowWater && buffered <= _lowWater) || (_isLowWaterRequested && buffered == 0))
        {
            _isAboveLowWater = false;
            _isLowWaterRequested = false;
            // The report is posted, because a flush may happen during a call of the handler.
            connection.Loop.Post(_postedLowWater ??= sender.NotifyLowWater);
        }
    }

    /// <summary>Posts the report that the queue, which had to wait for the peer, is empty again.</summary>
    internal void CheckDrained(bool isEmpty)
    {
        if (_wasBlocked && isEmpty)
        {
            _wasBlocked = false;
            connection.Loop.Post(_postedDrained ??= sender.NotifyDrained);
        }
    }

    // This is not called when ciphertext raises the queue above its mark. The amount of ciphertext changes with each
    // send, so a shrinking queue would cross its mark several times.
    private void CountRise() => _isAboveLowWater |= _lowWater != 0 && queue.BufferedBytes > _lowWater;

    // The result is written only if it changes. Writers of all loops read it without the lock.
    private void CheckHighWater()
    {
        bool isAbove = _highWater != 0 && queue.BufferedBytes > _highWater;
        if (isAbove != connection.IsAboveHighWater)
        {
            connection.IsAboveHighWater = isAbove;
        }
    }
}
