namespace Broker.Server;

/// <summary>The limits of the memory and the disk for streams in <see cref="Jsz"/>.</summary>
internal sealed record JszConfig
{
    public long MaxMemory { get; }

    public long MaxStorage { get; }
}
