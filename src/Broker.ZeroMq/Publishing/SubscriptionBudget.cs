namespace Broker.ZeroMq.Publishing;

/// <summary>
/// The memory for the subscriptions of all peers: each peer has a reserved part, and all peers share the rest.
/// Thread-safe.
/// </summary>
internal sealed class SubscriptionBudget
{
    // Measured: a node of the trie, the array of its prefix, its entry in the parent, and the node of a fork that it
    // may need.
    private const int PerPrefix = 250;

    private readonly long _assured;
    private readonly int _copies;
    private long _common;

    /// <param name="total">The total memory in bytes.</param>
    /// <param name="peers">The number of peers that half of the memory is divided among.</param>
    /// <param name="copies">How many times each prefix is stored.</param>
    internal SubscriptionBudget(long total, int peers, int copies)
    {
        _assured = total / 2 / peers;
        _common = total - (_assured * peers);
        _copies = copies;
    }

    /// <summary>Takes memory for a prefix. Returns false if the peer's part and the shared rest are used up.</summary>
    /// <param name="held">The memory that the peer uses; increased if there is room.</param>
    /// <param name="prefixLength">The length of the prefix in bytes.</param>
    internal bool TryTake(ref long held, int prefixLength)
    {
        long after = held + Cost(prefixLength);
        long fromCommon = Beyond(after) - Beyond(held);
        if (fromCommon > 0 && Interlocked.Add(ref _common, -fromCommon) < 0)
        {
            Interlocked.Add(ref _common, fromCommon);
            return false;
        }

        held = after;
        return true;
    }

    /// <summary>Returns the memory that <see cref="TryTake"/> took.</summary>
    internal void Give(ref long held, int prefixLength)
    {
        long after = held - Cost(prefixLength);
        Interlocked.Add(ref _common, Beyond(held) - Beyond(after));
        held = after;
    }

    private long Cost(int prefixLength) => (long)_copies * (PerPrefix + prefixLength);

    private long Beyond(long held) => Math.Max(held - _assured, 0);
}
