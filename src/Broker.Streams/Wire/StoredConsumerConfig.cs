namespace Broker.Streams;

/// <summary>The bytes that the store keeps for a consumer.</summary>
internal sealed class StoredConsumerConfig
{
    public DateTime Created { get; set; }

    /// <summary>The sequence that the consumer began with.</summary>
    public ulong Start { get; set; }

    public ConsumerConfig Config { get; set; } = new();
}
