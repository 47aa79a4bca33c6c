namespace Broker.Transport;

/// <summary>
/// The limits of a connection's queue, and the state that decides when they are reported. Used under the lock of the
/// queue; the caller reports what the methods return to the connection's loop.
/// </summary>
internal struct Watermarks
{
    private long _lowWater;
    private bool _isAboveLowWater;
    private bool _isLowWaterRequested;
    private bool _wasBlocked;

    public Watermarks()
    {
    }

    /// <summary>The most memory that may wait for the peer.</summary>
    internal long MaxPendingBytes { get; set; } = 64L * 1024 * 1024;

    /// <summary>The mark above which writers should write less; 0 for none.</summary>
    internal long HighWaterBytes { get; set; }

    /// <summary>The mark at which a writer may continue; 0 for none. Can be read without the lock.</summary>
    internal readonly long LowWaterBytes => Volatile.Read(in _lowWater);

    /// <summary>Sets the mark. The queue counts as having risen above it if it is above it now.</summary>
    internal void SetLowWater(long value, long buffered)
    {
        Volatile.Write(ref _lowWater, value);
        _isAboveLowWater = value != 0 && buffered > value;
    }

    /// <summary>A writer asks for a report of low water, whether or not the queue rises above the mark.</summary>
    internal void RequestLowWater(long buffered)
    {
        _isLowWaterRequested = true;
        CountFlush(buffered);
    }

    /// <summary>
    /// Flushed bytes raise the queue above its mark. Ciphertext does not count as raising it: its amount changes with
    /// each send, so a shrinking queue would cross its mark several times.
    /// </summary>
    internal void CountFlush(long buffered) => _isAboveLowWater |= _lowWater != 0 && buffered > _lowWater;

    /// <summary>The queue has to wait for the peer.</summary>
    internal void CountBlocked() => _wasBlocked = true;

    /// <summary>Whether writers should write less.</summary>
    internal readonly bool IsAboveHighWater(long buffered) => HighWaterBytes != 0 && buffered > HighWaterBytes;

    /// <summary>Whether more memory waits than is allowed.</summary>
    internal readonly bool IsFull(long buffered) => buffered > MaxPendingBytes;

    /// <summary>
    /// Whether low water is to be reported now. A writer that asked for space while little waits may need more space
    /// than there is before the queue is empty.
    /// </summary>
    internal bool TryReportLowWater(long buffered)
    {
        if (!(_isAboveLowWater && buffered <= _lowWater) && !(_isLowWaterRequested && buffered == 0))
        {
            return false;
        }

        _isAboveLowWater = false;
        _isLowWaterRequested = false;
        return true;
    }

    /// <summary>Whether it is to be reported that the queue, which had to wait for the peer, is empty again.</summary>
    internal bool TryReportDrained(bool isEmpty)
    {
        bool isDrained = _wasBlocked && isEmpty;
        _wasBlocked &= !isDrained;
        return isDrained;
    }
}
