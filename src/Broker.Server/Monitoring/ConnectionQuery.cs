namespace Broker.Server;

/// <summary>A query for a page of clients.</summary>
public sealed record ConnectionQuery
{
    /// <summary>The default number of clients on a page.</summary>
    public const int DefaultLimit = 1024;

    /// <summary>The maximum number of clients on a page.</summary>
    public const int MaxLimit = 65_536;

    /// <summary>The maximum number of subscriptions that are listed for all clients of a page together.</summary>
    public const int MaxListedSubscriptions = 65_536;

    /// <summary>Whether to list connected clients, closed clients, or both.</summary>
    public ConnectionStates States { get; init; } = ConnectionStates.Open;

    /// <summary>The order of the clients.</summary>
    public ConnectionOrder Order { get; init; }

    /// <summary>The number of clients to skip. A negative number counts as 0.</summary>
    public int Offset { get; init; }

    /// <summary>
    /// The number of clients to list, up to <see cref="MaxLimit"/>. A number below 1 counts as
    /// <see cref="DefaultLimit"/>.
    /// </summary>
    public int Limit { get; init; } = DefaultLimit;

    /// <summary>If set, only the client with this id is listed.</summary>
    public ulong? Id { get; init; }

    /// <summary>If set, only clients of this user are listed.</summary>
    public string? User { get; init; }

    /// <summary>If set, only clients of this account are listed.</summary>
    public string? Account { get; init; }

    /// <summary>
    /// A subject or a filter. The list contains only clients with a subscription that can receive a message that this
    /// filter matches. Null for all clients.
    /// </summary>
    public string? SubscribedTo { get; init; }

    /// <summary>Whether to list the subscriptions of the clients.</summary>
    public bool WithSubscriptions { get; init; }

    /// <summary>Whether pages of JSON show more than the subject of each subscription.</summary>
    public bool WithSubscriptionDetails { get; init; }

    /// <summary>Whether pages of JSON show the users and the accounts of the clients.</summary>
    public bool WithUsers { get; init; }

    internal ConnectionQuery Clamp() => this with
    {
        Offset = Math.Max(0, Offset),
        Limit = Limit <= 0 ? DefaultLimit : Math.Min(Limit, MaxLimit),
    };
}
