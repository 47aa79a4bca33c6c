namespace Broker.Bridge;

/// <summary>
/// The limits of the last values that a PUB/SUB route keeps for SUBs that subscribe later. Immutable.
/// </summary>
public sealed record LastValueOptions
{
    /// <summary>
    /// The largest number of topics. If there are more, the topic with the oldest last value is removed. Default
    /// 10,000.
    /// </summary>
    public int MaxTopics { get; init; } = 10_000;

    /// <summary>
    /// The largest total size in bytes, including the topics and 160 bytes for each value. Beyond it, the oldest values
    /// are removed. A single message that is larger is not kept. If the limit is above
    /// <see cref="PubSubRouteOptions.HighWaterMark"/>, a SUB that subscribes to everything cannot receive all values.
    /// Default 8 MiB.
    /// </summary>
    public long MaxBytes { get; init; } = 8 * 1024 * 1024;

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxTopics, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1);
    }
}
