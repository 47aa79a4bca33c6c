namespace Broker.Client.Subscriptions;

// The limits of the queue, and the policy for a full queue. Used on the loop.
internal sealed partial class MessageQueue
{
    // Called on the loop. Readers count each message that they take, in a cache line of their own. The loop reads these
    // counters only if the queue may be full.
    private bool IsFull(long size, int coming = 0)
    {
        if (_queued + coming - _knownTaken < options.MaxMessages && _queuedBytes + size - _knownTakenBytes <= options.MaxBytes)
        {
            return false;
        }

        _knownTaken = _front?.Taken ?? 0;
        _knownTakenBytes = _front?.TakenBytes ?? 0;
        return _queued + coming - _knownTaken >= options.MaxMessages || _queuedBytes + size - _knownTakenBytes > options.MaxBytes;
    }

    // Called on the loop for a queue that was full a moment ago. Readers may have made space since. A message that is
    // counted as dropped is not added, even if a reader makes space right afterwards.
    private Outcome MakeRoom(long size, out bool hasRoom)
    {
        if (options.WhenFull == FullQueuePolicy.DropOldest && size <= options.MaxBytes)
        {
            return DropOldest(size, out hasRoom);
        }

        lock (_gate)
        {
            hasRoom = false;
            if (HasEnded)
            {
                return Outcome.Dropped;
            }

            if (!IsFull(size))
            {
                hasRoom = true;
                return Outcome.Queued;
            }

            _dropped++;
            Outcome outcome = GoOnEpisode();
            return options.WhenFull == FullQueuePolicy.End ? Outcome.Overrun : outcome;
        }
    }

    // This needs the readers' lock too, because the oldest messages are in the readers' ring.
    private Outcome DropOldest(long size, out bool hasRoom)
    {
        ReadersSide front = Front();
        lock (front.Gate)
        {
            lock (_gate)
            {
                hasRoom = !HasEnded;
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
                    ChangeRingsIfEmpty(front);
                    front.Take();
                    _dropped++;
                }

                return GoOnEpisode();
            }
        }
    }

    // Called under the gate.
    private Outcome GoOnEpisode()
    {
        Outcome outcome = _inEpisode ? Outcome.Dropped : Outcome.FirstDropped;
        _inEpisode = true;
        return outcome;
    }
}
