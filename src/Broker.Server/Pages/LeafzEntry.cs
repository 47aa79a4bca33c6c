namespace Broker.Server;

/// <summary>A connected remote in the response of <c>/leafz</c>, with the field names of nats-server.</summary>
internal sealed record LeafzEntry
{
    public required string Name { get; init; }

    public required string Account { get; init; }

    public required string Ip { get; init; }

    public required int Port { get; init; }

    public required long InMsgs { get; init; }

    public required long OutMsgs { get; init; }

    public required long InBytes { get; init; }

    public required long OutBytes { get; init; }

    public required int Subscriptions { get; init; }

    public IReadOnlyList<string>? SubscriptionsList { get; init; }

    internal static async Task<LeafzEntry> FromAsync(LeafNodeDescription node, bool withSubscriptions) => new()
    {
        Name = node.Name,
        Account = node.Account,
        Ip = node.Host,
        Port = node.Port,
        InMsgs = node.MessagesIn,
        OutMsgs = node.MessagesOut,
        InBytes = node.BytesIn,
        OutBytes = node.BytesOut,
        Subscriptions = node.Subscriptions,
        SubscriptionsList = withSubscriptions && node.ListSubscriptionsAsync is { } list ? await list().ConfigureAwait(false) : null,
    };
}
