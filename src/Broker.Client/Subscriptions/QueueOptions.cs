namespace Broker.Client;

/// <summary>The limits of the queue of a <see cref="QueuedSubscription"/>, and the policy for a full queue.</summary>
public sealed record QueueOptions
{
    internal static readonly QueueOptions Default = new();

    /// <summary>The largest number of messages in the queue. Default 65,536.</summary>
    public int MaxMessages { get; init; } = 65_536;

    /// <summary>The largest size of all subjects, headers and bodies in the queue, in bytes. Default 64 MiB.</summary>
    public long MaxBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>What happens to a message that exceeds one of the limits. Default: it is dropped.</summary>
    public FullQueuePolicy WhenFull { get; init; } = FullQueuePolicy.DropNewest;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessages, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1);
        if (WhenFull is < FullQueuePolicy.DropNewest or > FullQueuePolicy.End)
        {
            throw new ArgumentOutOfRangeException(nameof(WhenFull), WhenFull, "WhenFull must be a member of the enumeration.");
        }
    }
}
