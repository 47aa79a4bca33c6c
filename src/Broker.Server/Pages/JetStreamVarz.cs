namespace Broker.Server;

/// <summary>The streams in <see cref="Varz"/>; an empty object if the server has none.</summary>
internal sealed record JetStreamVarz
{
    public JszConfig? Config { get; init; }

    public JszStats? Stats { get; init; }

    internal static JetStreamVarz From(StreamsDescription? streams)
        => streams is null ? new JetStreamVarz() : new JetStreamVarz { Config = JszConfig.From(streams), Stats = JszStats.From(streams) };
}
