namespace Broker.Client.Streams;

/// <summary>
/// The options of an object store. An object store is a stream with the name <c>OBJ_</c> and its own name.
/// </summary>
/// <param name="Name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
public sealed record ObjectStoreOptions(string Name)
{
    /// <summary>A description for people. Null for none.</summary>
    public string? Description { get; init; }

    /// <summary>How long an object is kept. Zero, the default, for no limit.</summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>
    /// The largest size of all objects, in bytes with their descriptions. A full store refuses objects. -1, the
    /// default, for no limit.
    /// </summary>
    public long MaxBytes { get; init; } = -1;

    /// <summary>The storage of the objects. Default: files.</summary>
    public StorageType Storage { get; init; }

    /// <summary>The number of servers that keep the objects, from 1, the default, to 5.</summary>
    public int Replicas { get; init; } = 1;

    /// <summary>How files are compressed. Default: not at all. Needs nats-server 2.10.</summary>
    public StreamCompression Compression { get; init; }

    /// <summary>The cluster or the servers that the store is kept on. Null for any.</summary>
    public StreamPlacement? Placement { get; init; }

    /// <summary>Names and values for programs. Null for none. Needs nats-server 2.10.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }
}
