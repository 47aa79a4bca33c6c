namespace Broker.Streams;

/// <summary>A consumer in the log. All members are used under the store's lock.</summary>
internal sealed class StoredConsumer(string name)
{
    internal string Name { get; } = name;

    /// <summary>Bytes that the store keeps for the consumer's owner.</summary>
    internal byte[] Configuration { get; set; } = [];

    internal ConsumerProgress Progress { get; } = new();
}
