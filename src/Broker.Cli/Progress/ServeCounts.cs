namespace Broker.Cli.Progress;

/// <summary>
/// The counts that the terminal shows. <see cref="Connections"/>, <see cref="Subscriptions"/> and
/// <see cref="ZeroMqPeers"/> are current values; all others only grow.
/// </summary>
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

    /// <summary>Messages that were dropped because a peer was too slow or the message was too large.</summary>
    public long Dropped { get; init; }
}
