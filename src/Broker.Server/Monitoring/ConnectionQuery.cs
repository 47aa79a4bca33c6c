namespace Broker.Server.Monitoring;

/// <summary>Which clients to list and what to tell of them.</summary>
public sealed record ConnectionQuery
{
    /// <summary>How many clients a page has when nothing is said.</summary>
    public const int DefaultLimit = 1024;

    /// <summary>The most clients of a page, whatever is asked for.</summary>
    public const int MostLimit = 65_536;

    /// <summary>The most subscriptions that are listed for all clients of a page together.</summary>
    public const int MostListedSubscriptions = 65_536;

    /// <summary>Connected ones, closed ones, or both.</summary>
    public ConnectionStates States { get; init; } = ConnectionStates.Open;

    /// <summary>The order.</summary>
    public ConnectionOrder Order { get; init; }

    /// <summary>How many to pass over. Less than 0 counts as 0.</summary>
    public int Offset { get; init; }

    /// <summary>How many to list, up to <see cref="MostLimit"/>. Less than 1 counts as <see cref="DefaultLimit"/>.</summary>
    public int Limit { get; init; } = DefaultLimit;

    /// <summary>Only the client with this id.</summary>
    public ulong? Id { get; init; }

    /// <summary>Only clients of this user.</summary>
    public string? User { get; init; }

    /// <summary>Only clients in this account.</summary>
    public string? Account { get; init; }

    /// <summary>Whether to list their subscriptions.</summary>
    public bool WithSubscriptions { get; init; }

    internal ConnectionQuery Clamp() => this with
    {
        Offset = Math.Max(0, Offset),
        Limit = Limit <= 0 ? DefaultLimit : Math.Min(Limit, MostLimit),
    };
}
