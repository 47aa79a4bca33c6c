namespace Broker.Client;

// The limits of the queue, and the policy for a full queue. Used on the loop.
internal sealed partial class SubscriptionQueue
{
    // Called on the loop for a queue that was full a moment ago. Readers may have made space since, so the limits are
    // checked again under the lock. A message that is counted as dropped is not added later, even if a reader then
    // makes space.
    private EnqueueOutcome MakeSpace(long size, out bool hasSpace)
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
                return EnqueueOutcome.Dropped;
            }

            if (!_counters.IsFull(options, _readers, size))
            {
                hasSpace = true;
                return EnqueueOutcome.Queued;
            }

            GetReaders().Dropped++;
            EnqueueOutcome outcome = RecordDrop();
            return options.WhenFull == FullQueuePolicy.End ? EnqueueOutcome.Overrun : outcome;
        }
    }

    // Takes the readers' lock too, because the oldest messages are in the readers' ring.
    private EnqueueOutcome DropOldest(long size, out bool hasSpace)
    {
        QueueReaders readers = GetReaders();
        lock (readers.Gate)
        {
            lock (_gate)
            {
                hasSpace = !HasEnded;
                if (HasEnded)
                {
                    return EnqueueOutcome.Dropped;
                }

                if (!_counters.IsFull(options, _readers, size))
                {
                    return EnqueueOutcome.Queued;
                }

                while (_counters.IsFull(options, _readers, size))
                {
                    SwapRingsIfEmpty(readers);
                    readers.Take();
                    readers.Dropped++;
                }

                return RecordDrop();
            }
        }
    }

    // Called under the gate.
    private EnqueueOutcome RecordDrop()
    {
        EnqueueOutcome outcome = _isDropping ? EnqueueOutcome.Dropped : EnqueueOutcome.FirstDropped;
        _isDropping = true;
        return outcome;
    }
}
