namespace Broker.Server;

/// <summary>
/// A query for a page of subscriptions. The subscriptions are ordered by the ids of their clients.
/// </summary>
public sealed record SubscriptionQuery
{
    /// <summary>The number of subscriptions to skip. A negative number counts as 0.</summary>
    public int Offset { get; init; }

    /// <summary>
    /// The number of subscriptions to list, up to <see cref="ConnectionQuery.MaxListedSubscriptions"/>. A number below
    /// 1 counts as <see cref="ConnectionQuery.DefaultLimit"/>.
    /// </summary>
    public int Limit { get; init; } = ConnectionQuery.DefaultLimit;

    /// <summary>If set, only subscriptions of this account are listed.</summary>
    public string? Account { get; init; }

    /// <summary>
    /// A subject: only subscriptions that receive messages of this subject are listed. Null for all subscriptions.
    /// </summary>
    public string? Subject { get; init; }

    internal SubscriptionQuery Clamp() => this with
    {
        Offset = Math.Max(0, Offset),
        Limit = Limit <= 0 ? ConnectionQuery.DefaultLimit : Math.Min(Limit, ConnectionQuery.MaxListedSubscriptions),
    };
}
