namespace Broker.LoadTest.Rows;

/// <summary>The publishers, readers and subscriptions of a row.</summary>
internal sealed record Topology
{
    public required string Subject { get; init; }

    public required int PayloadSize { get; init; }

    public int Publishers { get; init; } = 1;

    /// <summary>The number of connections that subscribe.</summary>
    public int Readers { get; init; } = 1;

    /// <summary>
    /// The number of subscriptions per reader, with sids from 1; at most 9, so that all frames have the same length.
    /// </summary>
    public int SubscriptionsPerReader { get; init; } = 1;

    public string? Queue { get; init; }

    /// <summary>Whether the only publisher uses the connection of the only reader.</summary>
    public bool OneConnection { get; init; }

    /// <summary>The number of deliveries of each message.</summary>
    public int Copies => Queue is null ? Readers * SubscriptionsPerReader : 1;
}
