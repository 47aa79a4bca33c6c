namespace Broker.Bridge;

/// <summary>The queue of unanswered requests that must be published again. Used on one loop.</summary>
/// <param name="pending">The table that contains the requests.</param>
internal sealed class RetryQueue(PendingRequests pending)
{
    // With fewer entries than this, a pass that removes completed requests is not worthwhile.
    private const int Slack = 256;

    private readonly Queue<ulong> _numbers = new();

    /// <summary>The number of entries, including completed requests that are still in the queue.</summary>
    internal int Count => _numbers.Count;

    internal void Add(int slot)
    {
        _numbers.Enqueue(pending.NumberOf(slot));
        if (_numbers.Count > (2 * pending.Count) + Slack)
        {
            RemoveCompleted();
        }
    }

    /// <summary>Removes the first request that is still pending.</summary>
    internal bool TryTake(out int slot)
    {
        while (_numbers.TryDequeue(out ulong number))
        {
            slot = pending.Find(number);
            if (slot >= 0)
            {
                return true;
            }
        }

        slot = -1;
        return false;
    }

    // A request that completes while it is in this queue leaves its number here, because the table does not refer to
    // the queue.
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
