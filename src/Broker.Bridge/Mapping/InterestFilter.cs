namespace Broker.Bridge.Mapping;

/// <summary>One filter that an <see cref="InterestSet"/> wants or still holds.</summary>
internal sealed class InterestFilter
{
    public InterestFilter(byte[] stem)
    {
        Stem = stem;
        AwaitingEntry = new LinkedListNode<InterestFilter>(this);
    }

    /// <summary>The filter without its final <c>.&gt;</c>.</summary>
    public byte[] Stem { get; }

    /// <summary>The distinct prefixes that need this filter.</summary>
    public int Wanted { get; set; }

    public InterestPhase Phase { get; set; }

    /// <summary>The subscription, while there is one. Never used twice, as messages of an ended one may be on their way.</summary>
    public long Id { get; set; }

    /// <summary>The barrier that is awaited.</summary>
    public long Token { get; set; }

    /// <summary>Whether no broader filter is active. Kept for active filters only.</summary>
    public bool Topmost { get; set; }

    /// <summary>The pending filters below. Kept for active filters only.</summary>
    public int PendingBelow { get; set; }

    /// <summary>Its place among the filters that await a barrier.</summary>
    public LinkedListNode<InterestFilter> AwaitingEntry { get; }
}
