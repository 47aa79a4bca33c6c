namespace Broker.Streams;

/// <summary>The messages of a stream that have a time to live of their own. Used under the store's lock.</summary>
internal sealed class MessageExpiries(StoredStream stream)
{
    private const int LeastDue = 1024;

    private readonly PriorityQueue<ulong, long> _due = new();
    private readonly HashSet<ulong> _unlimited = [];
    private readonly HashSet<ulong> _markers = [];

    // All messages before this sequence have no age.
    private ulong _firstAged;
    private int _mostDue = LeastDue;
    private int _pending;

    /// <summary>The number of entries, also of messages that were deleted before their time.</summary>
    internal int Count => _due.Count;

    /// <summary>The time of the next deletion in ticks of UTC; the maximum for never.</summary>
    internal long Next
    {
        get
        {
            while (_due.TryPeek(out ulong sequence, out long due))
            {
                if (stream.TryFind(sequence, out _))
                {
                    return Math.Min(due, NextAged);
                }

                _due.Dequeue();
            }

            return NextAged;
        }
    }

    private long NextAged => stream.Limits.MaxAge > TimeSpan.Zero && TryFindAged(out MessageEntry oldest) ? oldest.Time + stream.Limits.MaxAge.Ticks : long.MaxValue;

    /// <summary>Adds a message.</summary>
    internal void Add(in RecordHead head, ReadOnlySpan<byte> headers)
    {
        if (head.Flags.HasFlag(MessageFlags.IsMarker))
        {
            _markers.Add(head.Sequence);
        }

        if (!head.Flags.HasFlag(MessageFlags.HasTimeToLive) || !TimeToLive.TryFind(headers, out long ticks))
        {
            return;
        }

        if (ticks == TimeToLive.Never)
        {
            _unlimited.Add(head.Sequence);
            return;
        }

        if (_due.Count >= _mostDue)
        {
            RemoveDeleted();
        }

        _due.Enqueue(head.Sequence, head.Time + ticks);
    }

    /// <summary>Forgets a message that is deleted.</summary>
    internal void Remove(ulong sequence)
    {
        _unlimited.Remove(sequence);
        _markers.Remove(sequence);
    }

    /// <summary>Whether deletions wait for the disk. Until then, the counts of subjects are not right.</summary>
    internal bool HasPending => Volatile.Read(ref _pending) > 0;

    internal bool IsUnlimited(ulong sequence) => _unlimited.Contains(sequence);

    internal bool IsMarker(ulong sequence) => _markers.Contains(sequence);

    /// <summary>Takes the next message whose time to live has ended.</summary>
    internal bool TryTakeDue(long now, out MessageEntry entry)
    {
        while (_due.TryPeek(out ulong sequence, out long due) && due <= now)
        {
            _due.Dequeue();
            if (stream.TryFind(sequence, out entry))
            {
                return true;
            }
        }

        entry = default;
        return false;
    }

    /// <summary>Puts a message back that was taken.</summary>
    internal void Return(ulong sequence) => _due.Enqueue(sequence, 0);

    internal void BeginDeletion() => Interlocked.Increment(ref _pending);

    /// <summary>Called on any thread.</summary>
    internal void EndDeletion() => Interlocked.Decrement(ref _pending);

    /// <summary>Finds the first message that has an age.</summary>
    internal bool TryFindAged(out MessageEntry entry)
    {
        ulong next = _firstAged;
        while (stream.TryFindNext(next, default, out entry))
        {
            _firstAged = entry.Sequence;
            if (!_unlimited.Contains(entry.Sequence))
            {
                return true;
            }

            next = entry.Sequence + 1;
        }

        return false;
    }

    // Messages that were deleted before their time stay in the queue until they are the greater part of it.
    private void RemoveDeleted()
    {
        (ulong Sequence, long Due)[] kept = [.. _due.UnorderedItems.Where(item => stream.TryFind(item.Element, out _))];
        _due.Clear();
        _due.EnqueueRange(kept);
        _mostDue = Math.Max(LeastDue, 2 * kept.Length);
    }
}
