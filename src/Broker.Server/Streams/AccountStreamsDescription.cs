namespace Broker.Server;

/// <summary>The streams of one account. Immutable.</summary>
/// <param name="Account">The name of the account.</param>
public sealed record AccountStreamsDescription(string Account)
{
    /// <summary>The limits of the account.</summary>
    public AccountStreamLimits Limits { get; init; } = AccountStreamLimits.None;

    /// <summary>The bytes of the messages of the streams in memory.</summary>
    public long Memory { get; init; }

    /// <summary>The bytes of the messages of the streams on the disk.</summary>
    public long File { get; init; }

    /// <summary>The number of streams.</summary>
    public int Streams { get; init; }

    /// <summary>The number of consumers.</summary>
    public int Consumers { get; init; }

    /// <summary>The number of messages.</summary>
    public long Messages { get; init; }

    /// <summary>The number of requests to the JetStream API.</summary>
    public long Requests { get; init; }

    /// <summary>The number of these requests that were refused.</summary>
    public long Errors { get; init; }

    /// <summary>
    /// The streams as a JSON array, with the names of the JetStream API; empty if the query did not ask for them.
    /// </summary>
    public ReadOnlyMemory<byte> StreamsJson { get; init; }
}
