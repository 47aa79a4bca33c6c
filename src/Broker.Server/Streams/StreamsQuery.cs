namespace Broker.Server;

/// <summary>Chooses what <see cref="BrokerServer.InspectStreamsAsync"/> describes. Immutable.</summary>
public sealed record StreamsQuery
{
    /// <summary>The only account whose streams are listed; null for all accounts.</summary>
    public string? Account { get; init; }

    /// <summary>Whether the streams are listed.</summary>
    public bool WithStreams { get; init; }

    /// <summary>Whether the listed streams have their configuration.</summary>
    public bool WithConfiguration { get; init; }

    /// <summary>Whether the listed streams have their consumers.</summary>
    public bool WithConsumers { get; init; }
}
