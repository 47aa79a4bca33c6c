namespace Broker.Cli.Progress;

/// <summary>What the broker has done so far. Everything but the first two and <see cref="ZeroMqPeers"/> only grows.</summary>
internal readonly record struct ServeCounts
{
    public long Connections { get; init; }

    public long Subscriptions { get; init; }

    public long MessagesIn { get; init; }

    public long MessagesOut { get; init; }

    public long BytesIn { get; init; }

    public long BytesOut { get; init; }

    public long ZeroMqPeers { get; init; }

    public long ZeroMqMessagesIn { get; init; }

    public long ZeroMqMessagesOut { get; init; }

    /// <summary>Messages given up because a peer was too slow or they were too large.</summary>
    public long Dropped { get; init; }
}
