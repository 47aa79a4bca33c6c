namespace Broker.Client.Streams;

/// <summary>The options and the contents of an object store at one time.</summary>
/// <param name="Stream">The stream of the store.</param>
public sealed record ObjectStoreStatus(StreamInfo Stream)
{
    /// <summary>The name of the store.</summary>
    public string Name => ObjectNames.StoreOf(Stream.Config.Name);

    /// <summary>A description for people. Null for none.</summary>
    public string? Description => Stream.Config.Description;

    /// <summary>The size of all objects, in bytes with their descriptions.</summary>
    public ulong Bytes => Stream.State.Bytes;

    /// <summary>How long an object is kept. Zero for no limit.</summary>
    public TimeSpan TimeToLive => Stream.Config.MaxAge;

    /// <summary>The largest size of all objects, in bytes. -1 for no limit.</summary>
    public long MaxBytes => Stream.Config.MaxBytes;

    /// <summary>The storage of the objects.</summary>
    public StorageType Storage => Stream.Config.Storage;

    /// <summary>The number of servers that keep the objects.</summary>
    public int Replicas => Stream.Config.Replicas;

    /// <summary>How files are compressed.</summary>
    public StreamCompression Compression => Stream.Config.Compression;

    /// <summary>Whether the store accepts no more changes.</summary>
    public bool IsSealed => Stream.Config.Sealed;
}
