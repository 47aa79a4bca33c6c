namespace Broker.Client.Streams;

/// <summary>The options of a watch of a bucket.</summary>
public sealed record BucketWatchOptions
{
    internal static readonly BucketWatchOptions Default = new();

    /// <summary>
    /// Whether the watch begins with all stored revisions of each key. The default is the last revision of each key.
    /// </summary>
    public bool IncludeHistory { get; init; }

    /// <summary>Whether the watch begins with the next write, without an initial set.</summary>
    public bool UpdatesOnly { get; init; }

    /// <summary>
    /// The revision at which the watch begins: the stored revisions from this one on, and then the updates. To resume a
    /// watch, use one more than the last revision that was handled. Null, the default, for the last revision of each
    /// key.
    /// </summary>
    public ulong? FromRevision { get; init; }

    /// <summary>Whether markers of deleted keys are left out.</summary>
    public bool IgnoreDeletes { get; init; }

    /// <summary>Whether entries have no values. The server then sends the headers only.</summary>
    public bool MetadataOnly { get; init; }

    /// <summary>
    /// The pause after which the server sends a heartbeat if it has nothing else to send. After two pauses without
    /// a heartbeat the watch asks the server again. Default 5 s.
    /// </summary>
    public TimeSpan IdleHeartbeat { get; init; } = TimeSpan.FromSeconds(5);

    internal DeliverPolicy DeliverPolicy
        => IncludeHistory ? DeliverPolicy.All
            : UpdatesOnly ? DeliverPolicy.New
            : FromRevision is not null ? DeliverPolicy.FromSequence
            : DeliverPolicy.LastPerSubject;

    internal void Validate()
    {
        int beginnings = (IncludeHistory ? 1 : 0) + (UpdatesOnly ? 1 : 0) + (FromRevision is null ? 0 : 1);
        if (beginnings > 1)
        {
            throw new ArgumentException("IncludeHistory, UpdatesOnly and FromRevision exclude each other: each says where the watch begins.");
        }

        if (FromRevision == 0)
        {
            throw new ArgumentOutOfRangeException(nameof(FromRevision), FromRevision, "FromRevision must be at least 1, which is the first revision.");
        }

        if (IdleHeartbeat < TimeSpan.FromMilliseconds(100) || IdleHeartbeat > TimeSpan.FromHours(1))
        {
            throw new ArgumentOutOfRangeException(nameof(IdleHeartbeat), IdleHeartbeat, "IdleHeartbeat must be from 100 ms to 1 hour.");
        }
    }
}
