namespace Broker.Transport;

/// <summary>
/// The limits of a connection's queue. Reports when the queue is above its high-water mark, when it has fallen to its
/// low-water mark, and when it is empty again. Used under the lock of the queue, unless a member states otherwise.
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

    /// <summary>The most memory that may wait for the peer. Without the lock.</summary>
    internal long MaxPendingBytes { get; set; } = 64L * 1024 * 1024;

    /// <summary>The mark above which writers should write less; 0 for none. Takes the lock to change it.</summary>
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
    /// The mark at which a writer may continue; 0 for none. Takes the lock to change it. The queue counts as having
    /// risen above the mark if it is above it then.
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

    /// <summary>Whether more memory waits than is allowed.</summary>
    internal bool IsFull => queue.BufferedBytes > MaxPendingBytes;

    /// <inheritdoc cref="Connection.RequestLowWater"/>
    /// <remarks>Takes the lock.</remarks>
    internal void RequestLowWater()
    {
        lock (queue.Gate)
        {
            _isLowWaterRequested = true;
            CountRise();
            CheckLowWater();
        }
    }

    /// <summary>Bytes were flushed into the queue.</summary>
    internal void CountFlush()
    {
        CountRise();
        CheckHighWater();
    }

    /// <summary>The queue has to wait for the peer.</summary>
    internal void CountBlocked() => _wasBlocked = true;

    /// <summary>
    /// Posts the report of low water if it is due. A writer that asked for space while little waits may need more space
    /// than there is before the queue is empty.
    /// </summary>
    internal void CheckLowWater()
    {
        CheckHighWater();
        long buffered = queue.BufferedBytes;
        if ((_isAboveLowWater && buffered <= _lowWater) || (_isLowWaterRequested && buffered == 0))
        {
            _isAboveLowWater = false;
            _isLowWaterRequested = false;
            // Posted, because a flush may happen in the middle of a handler's call.
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

    // Ciphertext does not count as raising the queue above its mark: its amount changes with each send, so a shrinking
    // queue would cross its mark several times.
    private void CountRise() => _isAboveLowWater |= _lowWater != 0 && queue.BufferedBytes > _lowWater;

    // Writers of all loops read the result without the lock.
    private void CheckHighWater()
    {
        bool isAbove = _highWater != 0 && queue.BufferedBytes > _highWater;
        if (isAbove != connection.IsAboveHighWater)
        {
            connection.IsAboveHighWater = isAbove;
        }
    }
}
