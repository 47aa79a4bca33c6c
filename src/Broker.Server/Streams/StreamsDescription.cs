namespace Broker.Server;

/// <summary>The limits and the use of the streams of a server. Immutable.</summary>
public sealed record StreamsDescription
{
    /// <summary>The directory of the stores.</summary>
    public required string Directory { get; init; }

    /// <summary>The domain, which is a second name of the JetStream API; null for none.</summary>
    public string? Domain { get; init; }

    /// <summary>The limit on the bytes of the streams in memory; null for none.</summary>
    public long? MaxMemory { get; init; }

    /// <summary>The limit on the bytes of the streams on the disk; null for none.</summary>
    public long? MaxFile { get; init; }

    /// <summary>The bytes of the messages of the streams in memory.</summary>
    public long Memory { get; init; }

    /// <summary>The bytes of the messages of the streams on the disk.</summary>
    public long File { get; init; }

    /// <summary>The bytes that the streams in memory may use by their own limits.</summary>
    public long ReservedMemory { get; init; }

    /// <summary>The bytes that the streams on the disk may use by their own limits.</summary>
    public long ReservedFile { get; init; }

    /// <summary>The number of streams.</summary>
    public int Streams { get; init; }

    /// <summary>The number of these streams that are damaged.</summary>
    public int DamagedStreams { get; init; }

    /// <summary>The number of messages.</summary>
    public long Messages { get; init; }

    /// <summary>The number of consumers.</summary>
    public long Consumers { get; init; }

    /// <summary>
    /// The messages that consumers have delivered since the start, each delivery of a message counted.
    /// </summary>
    public long Delivered { get; init; }

    /// <summary>The delivered messages that were acknowledged or terminated since the start.</summary>
    public long Acknowledged { get; init; }

    /// <summary>The delivered messages that wait for their acknowledgement.</summary>
    public long Pending { get; init; }

    /// <summary>The names of the accounts that may have streams, in order.</summary>
    public IReadOnlyList<string> Accounts { get; init; } = [];

    /// <summary>The number of requests to the JetStream API.</summary>
    public long Requests { get; init; }

    /// <summary>The number of these requests that were refused.</summary>
    public long Errors { get; init; }

    /// <summary>
    /// The parts that are damaged or have stopped, one sentence each: streams that refuse their messages, and stores
    /// that write no more. Empty if everything works.
    /// </summary>
    public IReadOnlyList<string> Problems { get; init; } = [];
}
