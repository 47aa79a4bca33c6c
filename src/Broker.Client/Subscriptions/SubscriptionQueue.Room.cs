namespace Broker.Client;

// The limits of the queue, and the policy for a full queue. Used on the loop.
internal sealed partial class SubscriptionQueue
{
    // Called on the loop. Readers count each message that they take, in a cache line of their own. The loop reads these
    // counters only if the queue may be full.
    private bool IsFull(long size, int coming = 0)
    {
        if (_queued + coming - _knownTaken < options.MaxMessages && _queuedBytes + size - _knownTakenBytes <= options.MaxBytes)
        {
            return false;
        }

        _knownTaken = _readers?.Taken ?? 0;
        _knownTakenBytes = _readers?.TakenBytes ?? 0;
        return _queued + coming - _knownTaken >= options.MaxMessages || _queuedBytes + size - _knownTakenBytes > options.MaxBytes;
    }

    // Called on the loop for a queue that was full a moment ago. Readers may have made space since. A message that is
    // counted as dropped is not added, even if a reader makes space right afterwards.
    private Outcome MakeSpace(long size, out bool hasSpace)
    {
        if (options.WhenFull == FullQueuePolicy.DropOldest && size <= options.MaxBytes)
        {
            return DropOldest(size, out hasSpace);
        }

        lock (_gate)
        {
            hasSpace = false;
            if (HasEnded)
            {
                return Outcome.Dropped;
            }

            if (!IsFull(size))
            {
                hasSpace = true;
                return Outcome.Queued;
            }

            _dropped++;
            Outcome outcome = RecordDrop();
            return options.WhenFull == FullQueuePolicy.End ? Outcome.Overrun : outcome;
        }
    }

    // This needs the readers' lock too, because the oldest messages are in the readers' ring.
    private Outcome DropOldest(long size, out bool hasSpace)
    {
        QueueReaders front = GetReaders();
        lock (front.Gate)
        {
            lock (_gate)
            {
                hasSpace = !HasEnded;
                if (HasEnded)
                {
                    return Outcome.Dropped;
                }

                if (!IsFull(size))
                {
                    return Outcome.Queued;
                }

                while (IsFull(size))
                {
                    SwapRingsIfEmpty(front);
                    front.Take();
                    _dropped++;
                }

                return RecordDrop();
            }
        }
    }

    // Called under the gate.
    private Outcome RecordDrop()
    {
        Outcome outcome = _isDropping ? Outcome.Dropped : Outcome.FirstDropped;
        _isDropping = true;
        return outcome;
    }
}
