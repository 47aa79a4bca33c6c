namespace Broker.Client.Subscriptions;

// The bounds, and what goes when a message would exceed them. On the loop.
internal sealed partial class MessageQueue
{
    // On the loop. What readers have taken they say for each message, in a line of memory that is theirs: it is looked at only when it matters.
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

    // On the loop, for a queue that was full a moment ago. It may have become less so since; what is counted as dropped is not put in
    // although a reader makes room right afterwards.
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

    // The readers' side is in it too: the oldest are there.
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

    // Under the gate.
    private Outcome GoOnEpisode()
    {
        Outcome outcome = _inEpisode ? Outcome.Dropped : Outcome.FirstDropped;
        _inEpisode = true;
        return outcome;
    }
}
