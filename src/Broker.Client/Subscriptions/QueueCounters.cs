namespace Broker.Client;

/// <summary>
/// Counts the messages of a subscription's queue and checks its limits. Only the connection's loop adds and checks. The
/// counters of taken messages belong to the readers.
/// </summary>
internal struct QueueCounters
{
    // All messages that were ever added. The pending messages are the added messages minus the taken messages.
    private long _queued;
    private long _queuedBytes;

    // Lower bounds of the number and the bytes of the taken messages.
    private long _knownTaken;
    private long _knownTakenBytes;
    private long _peakBytes;

    /// <summary>The number of messages that were ever added.</summary>
    internal readonly long Queued => _queued;

    /// <summary>The size of the messages that were ever added, in bytes.</summary>
    internal readonly long QueuedBytes => _queuedBytes;

    /// <summary>The largest size of the pending messages so far, in bytes.</summary>
    internal readonly long PeakBytes => _peakBytes;

    /// <summary>
    /// Returns the number of pending messages. May be called on any thread. The number of taken messages is read first,
    /// so the result is never less than the number of pending messages.
    /// </summary>
    internal readonly long Pending(QueueReaders? readers)
    {
        long taken = readers?.Taken ?? 0;
        return Volatile.Read(in _queued) - taken;
    }

    /// <summary>Returns the size of the pending messages in bytes, like <see cref="Pending"/>.</summary>
    internal readonly long PendingBytes(QueueReaders? readers)
    {
        long taken = readers?.TakenBytes ?? 0;
        return Volatile.Read(in _queuedBytes) - taken;
    }

    /// <summary>Counts added messages. Called under the queue's gate.</summary>
    internal void Add(int messages, long bytes, QueueReaders readers)
    {
        Volatile.Write(ref _queued, _queued + messages);
        Volatile.Write(ref _queuedBytes, _queuedBytes + bytes);
        _peakBytes = Math.Max(_peakBytes, PendingBytes(readers));
    }

    /// <summary>
    /// Returns whether a message exceeds a limit. Readers count each message that they take, in a cache line of their
    /// own. The loop reads these counters only if the queue may be full.
    /// </summary>
    /// <param name="options">The limits.</param>
    /// <param name="readers">The readers. Null if the queue was never used.</param>
    /// <param name="size">The size of the message, and of those that are not added yet, in bytes.</param>
    /// <param name="coming">The number of messages before this one that are not added yet.</param>
    internal bool IsFull(QueueOptions options, QueueReaders? readers, long size, int coming = 0)
    {
        if (_queued + coming - _knownTaken < options.MaxMessages && _queuedBytes + size - _knownTakenBytes <= options.MaxBytes)
        {
            return false;
        }

        _knownTaken = readers?.Taken ?? 0;
        _knownTakenBytes = readers?.TakenBytes ?? 0;
        return _queued + coming - _knownTaken >= options.MaxMessages || _queuedBytes + size - _knownTakenBytes > options.MaxBytes;
    }
}
