namespace Broker.Client.Subscriptions;

/// <summary>What a <see cref="QueuedSubscription"/> has done so far. All of one moment.</summary>
public readonly record struct QueueStatistics
{
    /// <summary>Messages that wait to be read.</summary>
    public int Pending { get; init; }

    /// <summary>Their bytes.</summary>
    public long PendingBytes { get; init; }

    /// <summary>The most messages that waited at a time.</summary>
    public int MostPending { get; init; }

    /// <summary>The most bytes that waited at a time.</summary>
    public long MostPendingBytes { get; init; }

    /// <summary>Messages that were put into the queue, those that were dropped from it later included.</summary>
    public long Queued { get; init; }

    /// <summary>Messages that were dropped because the reader was too slow.</summary>
    public long Dropped { get; init; }
}
