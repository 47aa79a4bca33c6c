using Broker.Server;

namespace Broker.Streams;

/// <summary>The limits of an account. -1 for no limit.</summary>
internal sealed class AccountLimits
{
    public long MaxMemory { get; init; } = -1;

    public long MaxStorage { get; init; } = -1;

    public int MaxStreams { get; init; } = -1;

    public int MaxConsumers { get; init; } = -1;

    public int MaxAckPending { get; init; } = -1;

    public long MemoryMaxStreamBytes { get; init; } = -1;

    public long StorageMaxStreamBytes { get; init; } = -1;

    public bool MaxBytesRequired { get; init; }

    internal static AccountLimits Of(AccountStreamLimits limits) => new()
    {
        MaxMemory = limits.MaxMemory ?? -1,
        MaxStorage = limits.MaxFile ?? -1,
        MaxStreams = limits.MaxStreams ?? -1,
        MaxConsumers = limits.MaxConsumers ?? -1,
        MaxAckPending = limits.MaxAckPending ?? -1,
        MemoryMaxStreamBytes = limits.MaxMemoryStreamBytes ?? -1,
        StorageMaxStreamBytes = limits.MaxFileStreamBytes ?? -1,
        MaxBytesRequired = limits.RequiresMaxBytes,
    };
}
