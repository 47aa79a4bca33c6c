namespace Broker.Server;

/// <summary>A token that the filters of at least two subscriptions share.</summary>
internal sealed class SubscriptionNode(byte[] token) : TokenEntry(token)
{
    /// <summary>Subscriptions with filters that end here.</summary>
    internal SubscriptionBag Exact;

    /// <summary>Subscriptions with filters that end with <c>&gt;</c> after this token.</summary>
    internal SubscriptionBag Tail;

    /// <summary>
    /// Filters with further tokens, by the next token: nodes, and subscriptions that do not share the token with
    /// another.
    /// </summary>
    internal TokenTable Children;

    /// <summary>The child for the token <c>*</c>.</summary>
    internal TokenEntry? Star;

    /// <summary>
    /// The subscription that has replaced this node in the trie, for interrupted matches that have still to visit it.
    /// Null while the node is in the trie.
    /// </summary>
    internal Subscription? Replacement => Star == this ? Exact.Sole : null;

    /// <summary>The only subscription, if exactly one is left and it is a direct child.</summary>
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

    /// <summary>Marks a node that has left the trie, because only this subscription was left in it.</summary>
    // A node that is its own child cannot occur otherwise. A further field would cost memory in each node of a trie.
    internal void MarkReplaced(Subscription by)
    {
        Children = default;
        Tail = default;
        Exact = default;
        Exact.Add(by);
        Star = this;
    }
}
