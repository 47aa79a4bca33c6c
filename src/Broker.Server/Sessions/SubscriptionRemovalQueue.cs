using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The queue that removes the subscriptions of the closed clients of one loop. The subscriptions receive no messages
/// any more, so their removal is not urgent: each iteration of the loop removes a limited part, even if many clients
/// disconnect at once. Runs on the loop.
/// </summary>
internal sealed class SubscriptionRemovalQueue(EventLoop loop)
{
    /// <summary>
    /// The limit of work in one iteration, in visited router entries. This work takes about half a millisecond.
    /// </summary>
    internal const long WorkPerIteration = 4 * 1024;

    // If more clients wait, an iteration does more, so that clients cannot add subscriptions faster than this queue
    // removes them.
    private const int ClientsPerShare = 16;
    private const int MostShares = 4;

    private readonly Queue<SubscriptionRemoval> _pending = new();
    private long _workLeft = WorkPerIteration;

    /// <summary>
    /// Adds subscriptions to remove. Removes a part at once if the limit of this iteration permits, and the rest later.
    /// </summary>
    internal void Add(SubscriptionRemoval removal)
    {
        if (_pending.Count == 0)
        {
            _workLeft -= removal.Advance(_workLeft);
        }

        if (!removal.IsComplete)
        {
            _pending.Enqueue(removal);
            if (_pending.Count == 1)
            {
                AdvanceLater();
            }
        }
    }

    private void Advance()
    {
        _workLeft = WorkPerIteration * Math.Min(MostShares, 1 + (_pending.Count / ClientsPerShare));
        while (_workLeft > 0 && _pending.TryPeek(out SubscriptionRemoval? ending))
        {
            _workLeft -= ending.Advance(_workLeft);
            if (ending.IsComplete)
            {
                _pending.Dequeue();
            }
        }

        if (_pending.Count != 0)
        {
            AdvanceLater();
        }
    }

    // An action that is only posted would run in this iteration too, if the clients have left in its first part.
    private void AdvanceLater() => loop.PostAfterFlush(Advance);
}
