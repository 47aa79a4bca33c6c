namespace Broker.Server.Routing;

/// <summary>The subscriptions whose filters go through one token, and the tokens that follow it.</summary>
internal sealed class SubscriptionNode
{
    /// <summary>Filters that end here.</summary>
    internal SubscriptionBag Exact;

    /// <summary>Filters that end with <c>&gt;</c> after this token.</summary>
    internal SubscriptionBag Tail;

    internal Dictionary<byte[], SubscriptionNode>? Children { get; set; }

    /// <summary>The node of the token <c>*</c>.</summary>
    internal SubscriptionNode? Star { get; set; }

    internal bool IsEmpty => Exact.Count == 0 && Tail.Count == 0 && Star is null && Children is not { Count: > 0 };
}
