namespace Broker.Client.Requests;

/// <summary>
/// The requests that wait for answers, by the number that ends their reply subject: a slot and, above it, how often the slot was
/// used before. Whoever takes a request out completes it, and nobody else does. Thread-safe.
/// </summary>
internal sealed class RequestTable
{
    private const int SlotBits = 20;
    private const int Most = (1 << SlotBits) - 1;

    private readonly Lock _gate = new();
    private readonly Stack<int> _free = new();
    private PendingReply?[] _slots = new PendingReply?[16];
    private long[] _uses = new long[16];
    private int _next;
    private int _waiting;

    // When somebody will look for those whose time is over.
    private long _sweepAt = PendingReply.Never;

    /// <summary>How many wait. A moment's truth.</summary>
    internal int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Gives a request its number. Returns whether the next <see cref="TakeExpired"/> must come sooner than it would.</summary>
    /// <exception cref="InvalidOperationException">1,048,575 wait already.</exception>
    internal bool Add(PendingReply request)
    {
        lock (_gate)
        {
            if (!_free.TryPop(out int slot))
            {
                if (_next == Most)
                {
                    throw new InvalidOperationException("Too many requests wait for answers.");
                }

                slot = _next++;
                if (slot == _slots.Length)
                {
                    Array.Resize(ref _slots, slot * 2);
                    Array.Resize(ref _uses, slot * 2);
                }
            }

            // No number is 0, nor is one used twice in a lifetime.
            request.Number = (++_uses[slot] << SlotBits) | (uint)slot;
            _slots[slot] = request;
            _waiting++;
            return Advance(request.Deadline);
        }
    }

    /// <summary>Moves a request's deadline. As <see cref="Add"/>.</summary>
    internal bool SetDeadline(PendingReply request, long deadline)
    {
        lock (_gate)
        {
            request.Deadline = deadline;
            return Advance(deadline);
        }
    }

    internal PendingReply? Find(long number)
    {
        lock (_gate)
        {
            return Look(number);
        }
    }

    /// <summary>Takes a request out. False when somebody else has; by now it may even be another request, of another number.</summary>
    internal bool TryTake(PendingReply request, long number)
    {
        lock (_gate)
        {
            if (Look(number) != request)
            {
                return false;
            }

            Clear((int)(number & Most));
            return true;
        }
    }

    internal List<PendingReply> TakeAll()
    {
        lock (_gate)
        {
            var all = new List<PendingReply>(_waiting);
            for (int slot = 0; slot < _next; slot++)
            {
                if (_slots[slot] is { } request)
                {
                    all.Add(request);
                    Clear(slot);
                }
            }

            return all;
        }
    }

    /// <summary>Takes those out whose time is over at <paramref name="now"/>. Returns when to look again.</summary>
    internal long TakeExpired(long now, List<PendingReply> expired)
    {
        lock (_gate)
        {
            long next = PendingReply.Never;
            for (int slot = 0; slot < _next; slot++)
            {
                if (_slots[slot] is not { } request)
                {
                    continue;
                }

                if (request.Deadline <= now)
                {
                    expired.Add(request);
                    Clear(slot);
                }
                else
                {
                    next = Math.Min(next, request.Deadline);
                }
            }

            return _sweepAt = next;
        }
    }

    // Under the gate.
    private bool Advance(long deadline)
    {
        if (deadline >= _sweepAt)
        {
            return false;
        }

        _sweepAt = deadline;
        return true;
    }

    private PendingReply? Look(long number)
    {
        int slot = (int)(number & Most);
        return slot < _slots.Length && _slots[slot] is { } request && request.Number == number ? request : null;
    }

    private void Clear(int slot)
    {
        _slots[slot] = null;
        _free.Push(slot);
        _waiting--;
    }
}
