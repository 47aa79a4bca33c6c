namespace Broker.Streams;

/// <summary>The content of a stream.</summary>
internal sealed class StreamState
{
    public long Messages { get; init; }

    public long Bytes { get; init; }

    public ulong FirstSeq { get; init; }

    public DateTime FirstTs { get; init; }

    public ulong LastSeq { get; init; }

    public DateTime LastTs { get; init; }

    public long? NumDeleted { get; init; }

    public List<ulong>? Deleted { get; init; }

    public long NumSubjects { get; init; }

    public Dictionary<string, long>? Subjects { get; init; }

    public int ConsumerCount { get; init; }
}
