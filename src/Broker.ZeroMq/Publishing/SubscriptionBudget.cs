namespace Broker.ZeroMq.Publishing;

/// <summary>
/// The memory that subscriptions of all peers may take: a part for each peer that nobody else can take, and a common rest. Any thread.
/// </summary>
internal sealed class SubscriptionBudget
{
    // A node of the trie, the array of its prefix, its place in the parent, and the node of a fork that it may need; measured.
    private const int PerPrefix = 250;

    private readonly long _assured;
    private readonly int _copies;
    private long _common;

    /// <param name="total">All of it, in bytes.</param>
    /// <param name="peers">Among how many half of it is shared out.</param>
    /// <param name="copies">How often each prefix is kept.</param>
    internal SubscriptionBudget(long total, int peers, int copies)
    {
        _assured = total / 2 / peers;
        _common = total - (_assured * peers);
        _copies = copies;
    }

    /// <summary>Takes room for a prefix. False when the peer's own part and the rest are used up.</summary>
    /// <param name="held">What the peer holds; changed when there is room.</param>
    /// <param name="prefixLength">The prefix, in octets.</param>
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

    /// <summary>Gives back what <see cref="TryTake"/> took.</summary>
    internal void Give(ref long held, int prefixLength)
    {
        long after = held - Cost(prefixLength);
        Interlocked.Add(ref _common, Beyond(held) - Beyond(after));
        held = after;
    }

    private long Cost(int prefixLength) => (long)_copies * (PerPrefix + prefixLength);

    private long Beyond(long held) => Math.Max(held - _assured, 0);
}
