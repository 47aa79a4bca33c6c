namespace Broker.Client.Streams;

/// <summary>The options and the contents of a bucket at one time.</summary>
/// <param name="Stream">The stream of the bucket.</param>
public sealed record BucketStatus(StreamInfo Stream)
{
    /// <summary>The name of the bucket.</summary>
    public string Name => BucketNames.BucketOf(Stream.Config.Name);

    /// <summary>A description for people. Null for none.</summary>
    public string? Description => Stream.Config.Description;

    /// <summary>The number of stored revisions, markers included.</summary>
    public ulong Revisions => Stream.State.Messages;

    /// <summary>The number of keys, deleted ones with a marker included.</summary>
    public long Keys => Stream.State.SubjectCount;

    /// <summary>The size of all revisions, in bytes.</summary>
    public ulong Bytes => Stream.State.Bytes;

    /// <summary>The last revision that was written. 0 for a new bucket.</summary>
    public ulong LastRevision => Stream.State.LastSequence;

    /// <summary>The number of revisions that the bucket keeps of each key.</summary>
    public long History => Stream.Config.MaxMessagesPerSubject;

    /// <summary>How long a revision is kept. Zero for no limit.</summary>
    public TimeSpan TimeToLive => Stream.Config.MaxAge;

    /// <summary>Whether a key may have a time to live of its own.</summary>
    public bool AllowsKeyTimeToLive => Stream.Config.AllowMessageTimeToLive;

    /// <summary>How long a marker stays in place of a key that was removed by its age. Zero for none.</summary>
    public TimeSpan DeleteMarkerTimeToLive => Stream.Config.DeleteMarkerTimeToLive;

    /// <summary>The largest size of a value, in bytes with headers. -1 for no limit.</summary>
    public int MaxValueSize => Stream.Config.MaxMessageSize;

    /// <summary>The largest size of all revisions, in bytes. -1 for no limit.</summary>
    public long MaxBytes => Stream.Config.MaxBytes;

    /// <summary>The storage of the values.</summary>
    public StorageType Storage => Stream.Config.Storage;

    /// <summary>The number of servers that keep the values.</summary>
    public int Replicas => Stream.Config.Replicas;

    /// <summary>How files are compressed.</summary>
    public StreamCompression Compression => Stream.Config.Compression;

    /// <summary>Whether this bucket is a copy of another one.</summary>
    public bool IsMirror => Stream.Config.Mirror is not null;
}
