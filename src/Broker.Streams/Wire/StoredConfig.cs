namespace Broker.Streams;

/// <summary>The bytes that the store keeps for a stream.</summary>
internal sealed class StoredConfig
{
    public DateTime Created { get; set; }

    public StreamConfig Config { get; set; } = new();
}
