namespace Broker.Server;

/// <summary>The limits on the streams of one account. Null for no limit. Immutable.</summary>
public sealed record AccountStreamLimits
{
    /// <summary>No limits.</summary>
    public static AccountStreamLimits None { get; } = new();

    /// <summary>
    /// The maximum bytes of the messages of all streams in memory, and of what these streams may use by their own
    /// limits. 0 for no streams in memory.
    /// </summary>
    public long? MaxMemory { get; init; }

    /// <summary>
    /// The maximum bytes of the messages of all streams on the disk, and of what these streams may use by their own
    /// limits. 0 for no streams on the disk.
    /// </summary>
    public long? MaxFile { get; init; }

    /// <summary>The maximum number of streams; at least 1.</summary>
    public int? MaxStreams { get; init; }

    /// <summary>The maximum number of consumers of each stream; at least 1.</summary>
    public int? MaxConsumers { get; init; }

    /// <summary>
    /// The maximum number of messages that a consumer has delivered and that are not acknowledged; at least 1. A
    /// consumer that asks for no limit has none.
    /// </summary>
    public int? MaxAckPending { get; init; }

    /// <summary>The maximum size that a stream in memory may have by its own limit, in bytes; at least 1.</summary>
    public long? MaxMemoryStreamBytes { get; init; }

    /// <summary>The maximum size that a stream on the disk may have by its own limit, in bytes; at least 1.</summary>
    public long? MaxFileStreamBytes { get; init; }

    /// <summary>Whether each stream must limit its size.</summary>
    public bool RequiresMaxBytes { get; init; }

    /// <summary>Checks the limits.</summary>
    /// <exception cref="ArgumentException">A limit is out of its range; the message names it.</exception>
    public void Validate()
    {
        Require(MaxMemory, nameof(MaxMemory), 0);
        Require(MaxFile, nameof(MaxFile), 0);
        Require(MaxStreams, nameof(MaxStreams), 1);
        Require(MaxConsumers, nameof(MaxConsumers), 1);
        Require(MaxAckPending, nameof(MaxAckPending), 1);
        Require(MaxMemoryStreamBytes, nameof(MaxMemoryStreamBytes), 1);
        Require(MaxFileStreamBytes, nameof(MaxFileStreamBytes), 1);
    }

    private static void Require(long? limit, string name, long least)
    {
        if (limit < least)
        {
            throw new ArgumentException($"{name} must be at least {least}, not {limit}.");
        }
    }
}
