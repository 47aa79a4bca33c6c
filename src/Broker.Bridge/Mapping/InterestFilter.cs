namespace Broker.Bridge;

/// <summary>A filter of an <see cref="InterestSet"/> that prefixes need or that is still subscribed.</summary>
internal sealed class InterestFilter
{
    public InterestFilter(byte[] stem)
    {
        Stem = stem;
        AwaitingEntry = new LinkedListNode<InterestFilter>(this);
    }

    /// <summary>The filter without its final <c>.&gt;</c>.</summary>
    public byte[] Stem { get; }

    /// <summary>How many different prefixes need this filter.</summary>
    public int Wanted { get; set; }

    public InterestPhase Phase { get; set; }

    /// <summary>
    /// The id of the subscription, if there is one. Ids are never reused, because messages of an ended subscription may
    /// still arrive.
    /// </summary>
    public long Id { get; set; }

    /// <summary>The token of the barrier that the filter waits for.</summary>
    public long Token { get; set; }

    /// <summary>Whether no broader filter is active. Maintained for active filters only.</summary>
    public bool Topmost { get; set; }

    /// <summary>The number of pending filters below this one. Maintained for active filters only.</summary>
    public int PendingBelow { get; set; }

    /// <summary>The node of this filter in the list of filters that wait for a barrier.</summary>
    public LinkedListNode<InterestFilter> AwaitingEntry { get; }
}
