namespace Broker.Bridge;

/// <summary>
/// The requests that wait for a worker, in the order in which they arrived. The table of pending requests has their
/// bytes. Used on one loop.
/// </summary>
/// <param name="pending">The table that contains the requests.</param>
/// <param name="maxBytes">The largest size of all requests together.</param>
internal sealed class WaitingRequests(PendingRequests pending, long maxBytes)
{
    // With fewer entries than this, a pass that removes completed requests is not worthwhile.
    private const int Slack = 256;

    private readonly Queue<ulong> _numbers = new();

    /// <summary>The size of the requests that are kept, including those that a worker has received since.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Whether more than half of the bytes are used.</summary>
    internal bool IsHalfFull => Bytes > maxBytes / 2;

    /// <summary>Adds a request and returns the memory for its bytes; empty if they do not fit.</summary>
    internal Span<byte> Add(int slot, int size)
    {
        if (Bytes + size > maxBytes)
        {
            return [];
        }

        Bytes += size;
        _numbers.Enqueue(pending.NumberOf(slot));
        if (_numbers.Count > (2 * pending.Count) + Slack)
        {
            RemoveCompleted();
        }

        return pending.Keep(slot, size);
    }

    /// <summary>Finds the first request that is still pending, and leaves it in the queue.</summary>
    internal bool TryPeek(out int slot)
    {
        while (_numbers.TryPeek(out ulong number))
        {
            slot = pending.Find(number);
            if (slot >= 0)
            {
                return true;
            }

            _numbers.Dequeue();
        }

        slot = -1;
        return false;
    }

    /// <summary>Removes the request that <see cref="TryPeek"/> has found.</summary>
    internal void Take() => _numbers.Dequeue();

    /// <summary>Must be called before a request is removed from the table.</summary>
    internal void OnRemoving(in PendingRequest request)
    {
        if (request.Kept is not null)
        {
            Bytes -= request.KeptLength;
        }
    }

    // A request that expires while it waits leaves its number here.
    private void RemoveCompleted()
    {
        for (int left = _numbers.Count; left > 0; left--)
        {
            ulong number = _numbers.Dequeue();
            if (pending.Find(number) >= 0)
            {
                _numbers.Enqueue(number);
            }
        }
    }
}
