namespace Broker.Server;

/// <summary>The use of the memory and the disk by streams in <see cref="Varz"/>.</summary>
internal sealed record JszStats
{
    public long Memory { get; init; }

    public long Storage { get; init; }

    public long ReservedMemory { get; init; }

    public long ReservedStorage { get; init; }

    public int Accounts { get; init; }

    public int HaAssets { get; }

    public required JszApi Api { get; init; }

    internal static JszStats From(StreamsDescription streams) => new()
    {
        Memory = streams.Memory,
        Storage = streams.File,
        ReservedMemory = streams.ReservedMemory,
        ReservedStorage = streams.ReservedFile,
        Accounts = streams.Accounts.Count,
        Api = new JszApi(streams.Requests, streams.Errors),
    };
}
