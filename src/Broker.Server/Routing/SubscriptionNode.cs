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
    /// </summary>
    internal Subscription? Replacement;

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
}
