namespace Broker.Client.Subscriptions;

/// <summary>How much may wait for the reader of a <see cref="QueuedSubscription"/>, and what becomes of the rest.</summary>
public sealed record QueueOptions
{
    internal static readonly QueueOptions Default = new();

    /// <summary>How many messages. Default 65,536.</summary>
    public int MaxMessages { get; init; } = 65_536;

    /// <summary>How many bytes of subjects, headers and bodies together. Default 64 MiB.</summary>
    public long MaxBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>What becomes of a message beyond one of these. Default: it is dropped.</summary>
    public FullQueuePolicy WhenFull { get; init; } = FullQueuePolicy.DropNewest;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessages, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1);
        if (WhenFull is < FullQueuePolicy.DropNewest or > FullQueuePolicy.End)
        {
            throw new ArgumentOutOfRangeException(nameof(WhenFull), WhenFull, "There is no such policy.");
        }
    }
}
