namespace Broker.Server;

/// <summary>A token that the filters of at least two subscriptions share.</summary>
internal sealed class SubscriptionNode : TokenEntry
{
    // A node may outlive the subscription whose filter it shares, so it shares only a filter that is not much larger
    // than a copy of the token.
    private const int MaxSharedFilter = 64;

    private SubscriptionNode(byte[] bytes)
        : base(bytes)
    {
    }

    /// <summary>Creates a node without a token: the root, or a node for <c>*</c>.</summary>
    internal static SubscriptionNode WithoutToken() => new([]);

    /// <summary>Creates a node for the token of a filter. The node may keep the array of the filter.</summary>
    internal static SubscriptionNode ForToken(byte[] filter, int start)
        => filter.Length <= MaxSharedFilter
            ? new SubscriptionNode(filter) { Position = start }
            : new SubscriptionNode(TokenAt(filter, start).ToArray());

    internal ReadOnlySpan<byte> Token => TokenAt(Bytes, Position);

    /// <summary>Subscriptions with filters that end with this token.</summary>
    internal SubscriptionBag Exact;

    /// <summary>Subscriptions with filters that end with <c>&gt;</c> after this token.</summary>
    internal SubscriptionBag Tail;

    /// <summary>
    /// The entries for filters with further tokens, by the next token: a node, or a subscription if no other
    /// subscription shares the next token.
    /// </summary>
    internal TokenTable Children;

    /// <summary>The child for the token <c>*</c>.</summary>
    internal TokenEntry? Star;

    /// <summary>
    /// The subscription that has replaced this node in the trie; null while the node is in the trie. An interrupted
    /// match may still have to visit a replaced node.
    /// </summary>
    internal Subscription? Replacement => Star == this ? Exact.Sole : null;

    /// <summary>
    /// The only entry of this node, if the node has exactly one entry and the entry is a subscription; otherwise null.
    /// </summary>
    internal Subscription? Sole
    {
        get
        {
            if (Children.Count + Exact.Count + Tail.Count + (Star is null ? 0 : 1) != 1)
            {
                return null;
            }

            return Children.Count == 1 ? Children.Single() as Subscription : Exact.Sole ?? Tail.Sole ?? Star as Subscription;
        }
    }

    /// <summary>Marks this node as replaced in the trie by its only subscription.</summary>
    // A replaced node is its own child, which cannot occur otherwise. A further field would cost memory in each node.
    internal void MarkReplaced(Subscription by)
    {
        Children = default;
        Tail = default;
        Exact = default;
        Exact.Add(by);
        Star = this;
    }
}
