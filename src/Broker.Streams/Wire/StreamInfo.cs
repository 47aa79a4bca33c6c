namespace Broker.Streams;

/// <summary>The description of a stream.</summary>
internal sealed class StreamInfo : ApiAnswer
{
    public int? Total { get; init; }

    public int? Offset { get; init; }

    public int? Limit { get; init; }

    public StreamConfig Config { get; init; } = new();

    public DateTime Created { get; init; }

    public StreamState State { get; init; } = new();

    public string? Domain { get; init; }

    public DateTime Ts { get; init; }

    public bool? DidCreate { get; init; }
}
