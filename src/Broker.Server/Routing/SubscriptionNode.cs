namespace Broker.Server;

/// <summary>A token that the filters of at least two subscriptions share.</summary>
internal sealed class SubscriptionNode(byte[] token) : TokenEntry(token)
{
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
