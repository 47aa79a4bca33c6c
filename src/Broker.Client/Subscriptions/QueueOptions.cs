namespace Broker.Client;

/// <summary>The limits of the queue of a <see cref="QueuedSubscription"/>, and the policy for a full queue.</summary>
public sealed record QueueOptions
{
    internal static readonly QueueOptions Default = new();

    private static readonly TimeSpan LongestIdle = TimeSpan.FromDays(20);

    /// <summary>The largest number of messages in the queue. Default 65,536.</summary>
    public int MaxMessages { get; init; } = 65_536;

    /// <summary>The largest size of all subjects, headers and bodies in the queue, in bytes. Default 64 MiB.</summary>
    public long MaxBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>What happens to a message that exceeds one of the limits. Default: it is dropped.</summary>
    public FullQueuePolicy WhenFull { get; init; } = FullQueuePolicy.DropNewest;

    /// <summary>
    /// Ends the subscription if no message comes for this time. The reader gets the messages in the queue, and then the
    /// reading ends without an error. The subscription ends at most a quarter of the time late. Time without a server
    /// counts too. Null, the default, for no limit.
    /// </summary>
    /// <example>
    /// <code>
    /// await foreach (Message message in nats.ReadAsync("logs.>", new QueueOptions { IdleTimeout = TimeSpan.FromSeconds(10) }))
    /// {
    ///     Console.WriteLine(message.Text);
    /// }
    /// </code>
    /// </example>
    public TimeSpan? IdleTimeout { get; init; }

    internal void Validate()
    {
        if (IdleTimeout is { } idle && (idle <= TimeSpan.Zero || idle >= LongestIdle))
        {
            throw new ArgumentOutOfRangeException(nameof(IdleTimeout), IdleTimeout, "IdleTimeout must be above 0 and below 20 days.");
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessages, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1);
        if (WhenFull is < FullQueuePolicy.DropNewest or > FullQueuePolicy.End)
        {
            throw new ArgumentOutOfRangeException(nameof(WhenFull), WhenFull, "WhenFull must be a member of the enumeration.");
        }
    }
}
