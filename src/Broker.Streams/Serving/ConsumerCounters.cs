namespace Broker.Streams;

/// <summary>
/// Counts over all consumers of an account. The loop of the account changes them, and any thread reads them.
/// </summary>
internal sealed class ConsumerCounters
{
    private long _consumers;
    private long _delivered;
    private long _acknowledged;
    private long _pending;

    /// <summary>The number of consumers.</summary>
    internal long Consumers => Volatile.Read(ref _consumers);

    /// <summary>The messages that were delivered since the start.</summary>
    internal long Delivered => Volatile.Read(ref _delivered);

    /// <summary>The messages that were acknowledged or terminated since the start.</summary>
    internal long Acknowledged => Volatile.Read(ref _acknowledged);

    /// <summary>The messages that were delivered and wait for their acknowledgement.</summary>
    internal long Pending => Volatile.Read(ref _pending);

    internal void CountConsumer(int change) => Volatile.Write(ref _consumers, _consumers + change);

    internal void CountDelivery() => Volatile.Write(ref _delivered, _delivered + 1);

    internal void CountAcknowledgement() => Volatile.Write(ref _acknowledged, _acknowledged + 1);

    internal void CountPending(int change) => Volatile.Write(ref _pending, _pending + change);
}
