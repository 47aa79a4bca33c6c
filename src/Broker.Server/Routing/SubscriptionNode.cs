namespace Broker.Server.Routing;

/// <summary>The subscriptions whose filters go through one token: two at least, or it would not be there.</summary>
internal sealed class SubscriptionNode(byte[] token) : TokenEntry(token)
{
    /// <summary>Filters that end here.</summary>
    internal SubscriptionBag Exact;

    /// <summary>Filters that end with <c>&gt;</c> after this token.</summary>
    internal SubscriptionBag Tail;

    /// <summary>Filters that go on, by their next token: nodes, or subscriptions that are alone with it.</summary>
    internal TokenTable Children;

    /// <summary>The same of the token <c>*</c>.</summary>
    internal TokenEntry? Star;

    /// <summary>The only subscription, if a single one is left and no node stands between.</summary>
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
