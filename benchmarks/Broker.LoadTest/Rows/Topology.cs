namespace Broker.LoadTest.Rows;

/// <summary>Who publishes to whom.</summary>
internal sealed record Topology
{
    public required string Subject { get; init; }

    public required int PayloadSize { get; init; }

    public int Publishers { get; init; } = 1;

    /// <summary>Connections that subscribe.</summary>
    public int Readers { get; init; } = 1;

    /// <summary>Subscriptions on each of them, with sids from 1; at most 9, so that all frames have one length.</summary>
    public int SubscriptionsPerReader { get; init; } = 1;

    public string? Queue { get; init; }

    /// <summary>The one publisher publishes on the one reader's connection.</summary>
    public bool OneConnection { get; init; }

    /// <summary>How often each message is delivered.</summary>
    public int Copies => Queue is null ? Readers * SubscriptionsPerReader : 1;
}
