namespace Broker.Client;

/// <summary>The counters of a <see cref="QueuedSubscription"/>, all read at the same moment.</summary>
public readonly record struct QueueStatistics
{
    /// <summary>The number of messages in the queue.</summary>
    public int Pending { get; init; }

    /// <summary>The number of bytes in the queue.</summary>
    public long PendingBytes { get; init; }

    /// <summary>The largest number of messages that were in the queue at a time.</summary>
    public int PeakPending { get; init; }

    /// <summary>The largest number of bytes that were in the queue at a time.</summary>
    public long PeakPendingBytes { get; init; }

    /// <summary>
    /// The number of messages that were added to the queue, including messages that were dropped later.
    /// </summary>
    public long Queued { get; init; }

    /// <summary>The number of messages that were dropped because the reader was too slow.</summary>
    public long Dropped { get; init; }
}
