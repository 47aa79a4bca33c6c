namespace Broker.Bridge.PubSub;

/// <summary>How much of the last values a PUB/SUB route keeps for SUBs that come late. Immutable.</summary>
public sealed record LastValueOptions
{
    /// <summary>Of how many topics at most. When there are more, the one whose last value is the oldest is forgotten. Default 10,000.</summary>
    public int MaxTopics { get; init; } = 10_000;

    /// <summary>
    /// In how many bytes at most, topics and 160 for each included; beyond them the oldest are forgotten, and a message larger than all of them is
    /// not kept. More than <see cref="PubSubRouteOptions.HighWaterMark"/> cannot reach a SUB that asks for everything. Default 8 MiB.
    /// </summary>
    public long MaxBytes { get; init; } = 8 * 1024 * 1024;

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxTopics, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1);
    }
}
