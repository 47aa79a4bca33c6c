namespace Broker.Streams;

/// <summary>A stream on the monitoring page.</summary>
internal sealed class StreamDetail
{
    public string Name { get; init; } = "";

    public DateTime Created { get; init; }

    public StreamConfig? Config { get; init; }

    public StreamState State { get; init; } = new();

    public List<ConsumerInfo>? ConsumerDetail { get; init; }
}
