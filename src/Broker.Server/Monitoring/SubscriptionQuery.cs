namespace Broker.Server.Monitoring;

/// <summary>Which subscriptions to list. They come by the ids of their clients.</summary>
public sealed record SubscriptionQuery
{
    /// <summary>How many to pass over. Less than 0 counts as 0.</summary>
    public int Offset { get; init; }

    /// <summary>
    /// How many to list, up to <see cref="ConnectionQuery.MostListedSubscriptions"/>. Less than 1 counts as
    /// <see cref="ConnectionQuery.DefaultLimit"/>.
    /// </summary>
    public int Limit { get; init; } = ConnectionQuery.DefaultLimit;

    /// <summary>Only subscriptions in this account.</summary>
    public string? Account { get; init; }

    /// <summary>Only subscriptions that get the messages of this subject.</summary>
    public string? Subject { get; init; }

    internal SubscriptionQuery Clamp() => this with
    {
        Offset = Math.Max(0, Offset),
        Limit = Limit <= 0 ? ConnectionQuery.DefaultLimit : Math.Min(Limit, ConnectionQuery.MostListedSubscriptions),
    };
}
