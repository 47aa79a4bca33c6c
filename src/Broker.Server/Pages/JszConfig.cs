namespace Broker.Server;

/// <summary>The limits of the streams in <see cref="Jsz"/> and <see cref="Varz"/>. -1 for no limit.</summary>
internal sealed record JszConfig
{
    public long MaxMemory { get; init; }

    public long MaxStorage { get; init; }

    public string? StoreDir { get; init; }

    public string? Domain { get; init; }

    /// <summary>When stored messages are written to the disk: always before they are acknowledged.</summary>
    public bool? SyncAlways { get; init; }

    internal static JszConfig From(StreamsDescription streams) => new()
    {
        MaxMemory = streams.MaxMemory ?? -1,
        MaxStorage = streams.MaxFile ?? -1,
        StoreDir = streams.Directory,
        Domain = streams.Domain,
        SyncAlways = true,
    };
}
