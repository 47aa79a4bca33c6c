namespace Broker.ZeroMq.Loops;

/// <summary>
/// The memory for the subscriptions of all peers: each peer has a reserved part, and all peers share the rest.
/// Thread-safe.
/// </summary>
internal sealed class SubscriptionBudget
{
    // The measured bytes per prefix: a node of the trie, the array of its prefix, its entry in the parent, and a second
    // node if the prefix makes the trie fork.
    private const int PerPrefix = 250;

    private readonly long _reserved;
    private readonly int _copies;
    private long _shared;

    /// <param name="total">The total memory in bytes.</param>
    /// <param name="peers">The number of peers among which half of the memory is divided.</param>
    /// <param name="copies">How many times each prefix is stored.</param>
    internal SubscriptionBudget(long total, int peers, int copies)
    {
        _reserved = total / 2 / peers;
        _shared = total - (_reserved * peers);
        _copies = copies;
    }

    /// <summary>Takes memory for a prefix. Returns false if the peer's part and the shared rest are used up.</summary>
    /// <param name="used">The memory that the peer uses; increased if there is room.</param>
    /// <param name="prefixLength">The length of the prefix in bytes.</param>
    internal bool TryTake(ref long used, int prefixLength)
    {
        long after = used + Cost(prefixLength);
        long fromCommon = BeyondReserved(after) - BeyondReserved(used);
        if (fromCommon > 0 && Interlocked.Add(ref _shared, -fromCommon) < 0)
        {
            Interlocked.Add(ref _shared, fromCommon);
            return false;
        }

        used = after;
        return true;
    }

    /// <summary>Returns the memory that <see cref="TryTake"/> took.</summary>
    internal void Return(ref long used, int prefixLength)
    {
        long after = used - Cost(prefixLength);
        Interlocked.Add(ref _shared, BeyondReserved(used) - BeyondReserved(after));
        used = after;
    }

    private long Cost(int prefixLength) => (long)_copies * (PerPrefix + prefixLength);

    private long BeyondReserved(long used) => Math.Max(used - _reserved, 0);
}
