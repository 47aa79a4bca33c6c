namespace Broker.Client.Streams;

/// <summary>
/// The options of a key-value bucket. A bucket is a stream with the name <c>KV_</c> and its own name.
/// </summary>
/// <param name="Name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
public sealed record BucketOptions(string Name)
{
    /// <summary>The largest <see cref="History"/>.</summary>
    public const int MaxHistory = 64;

    /// <summary>A description for people. Null for none.</summary>
    public string? Description { get; init; }

    /// <summary>
    /// The number of revisions that the bucket keeps of each key, from 1 to <see cref="MaxHistory"/>. Default 1.
    /// </summary>
    public int History { get; init; } = 1;

    /// <summary>How long a revision is kept. Zero, the default, for no limit.</summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>
    /// Whether a key that is created, and the marker of a purge, may have a time to live of its own. Needs nats-server
    /// 2.11.
    /// </summary>
    public bool AllowKeyTimeToLive { get; init; }

    /// <summary>
    /// How long the bucket keeps a marker in place of a key that was removed by its age, so that watches receive it.
    /// At least one second, or zero, the default, for no markers. It implies <see cref="AllowKeyTimeToLive"/>.
    /// </summary>
    public TimeSpan DeleteMarkerTimeToLive { get; init; }

    /// <summary>The largest size of a value, in bytes with headers. -1, the default, for no limit.</summary>
    public int MaxValueSize { get; init; } = -1;

    /// <summary>
    /// The largest size of all revisions, in bytes. A full bucket refuses values. -1, the default, for no limit.
    /// </summary>
    public long MaxBytes { get; init; } = -1;

    /// <summary>The storage of the values. Default: files.</summary>
    public StorageType Storage { get; init; }

    /// <summary>The number of servers that keep the values, from 1, the default, to 5.</summary>
    public int Replicas { get; init; } = 1;

    /// <summary>How files are compressed. Default: not at all. Needs nats-server 2.10.</summary>
    public StreamCompression Compression { get; init; }

    /// <summary>The cluster or the servers that the bucket is kept on. Null for any.</summary>
    public StreamPlacement? Placement { get; init; }

    /// <summary>The subjects at which stored values are published again. Null for none.</summary>
    public Republish? Republish { get; init; }

    /// <summary>
    /// The bucket that this one copies. The name is that of a bucket. Values that are written here go to the original,
    /// and are here when the copy has them. Null for none.
    /// </summary>
    public StreamSource? Mirror { get; init; }

    /// <summary>
    /// The buckets whose values this one also stores, with the names of buckets. Null for none. Sources with other
    /// names need nats-server 2.10.
    /// </summary>
    public IReadOnlyList<StreamSource>? Sources { get; init; }

    /// <summary>Names and values for programs. Null for none. Needs nats-server 2.10.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }
}
