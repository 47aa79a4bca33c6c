namespace Broker.Server;

/// <summary>One subscription in <see cref="Subsz"/> and <see cref="Connz"/>.</summary>
internal sealed record SubscriptionDetail
{
    public string? Account { get; init; }

    public required string Subject { get; init; }

    public string? Qgroup { get; init; }

    public required string Sid { get; init; }

    public long Msgs { get; init; }

    public long? Max { get; init; }

    public ulong Cid { get; init; }

    internal static SubscriptionDetail From(SubscriptionDescription facts, bool withAccount) => new()
    {
        Account = withAccount ? facts.Account : null,
        Subject = facts.Subject,
        Qgroup = facts.Queue,
        Sid = facts.Id,
        Msgs = facts.Messages,
        Max = facts.Max == 0 ? null : facts.Max,
        Cid = facts.ConnectionId,
    };
}
