namespace Broker.Bridge.Requests;

/// <summary>Requests that nobody was there to answer, in the order in which they are to be sent again. On one loop.</summary>
/// <param name="pending">The table that has them.</param>
internal sealed class HeldRequests(PendingRequests pending)
{
    // Below it going through all of them is not worth while.
    private const int Slack = 256;

    private readonly Queue<ulong> _numbers = new();

    /// <summary>How many it has, with those that are over and not yet passed over.</summary>
    internal int Count => _numbers.Count;

    internal void Add(int slot)
    {
        _numbers.Enqueue(pending.NumberOf(slot));
        if (_numbers.Count > (2 * pending.Count) + Slack)
        {
            RemoveOver();
        }
    }

    /// <summary>Takes the first that still waits for its answer.</summary>
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

    // A request that ends while it is held leaves its number here: the table has no way to it.
    private void RemoveOver()
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
