using Broker.Server;

namespace Broker.Hosting;

/// <summary>The limits on the streams of one account. Settings without a value are no limits.</summary>
public sealed class BrokerAccountStreamsSettings
{
    /// <summary>The name of the account. It must be set.</summary>
    public string? Account { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.MaxMemory"/>.</summary>
    public long? MaxMemory { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.MaxFile"/>.</summary>
    public long? MaxFile { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.MaxStreams"/>.</summary>
    public int? MaxStreams { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.MaxConsumers"/>.</summary>
    public int? MaxConsumers { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.MaxAckPending"/>.</summary>
    public int? MaxAckPending { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.MaxMemoryStreamBytes"/>.</summary>
    public long? MaxMemoryStreamBytes { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.MaxFileStreamBytes"/>.</summary>
    public long? MaxFileStreamBytes { get; set; }

    /// <summary>See <see cref="AccountStreamLimits.RequiresMaxBytes"/>.</summary>
    public bool RequiresMaxBytes { get; set; }

    internal AccountStreamLimits ToLimits() => new()
    {
        MaxMemory = MaxMemory,
        MaxFile = MaxFile,
        MaxStreams = MaxStreams,
        MaxConsumers = MaxConsumers,
        MaxAckPending = MaxAckPending,
        MaxMemoryStreamBytes = MaxMemoryStreamBytes,
        MaxFileStreamBytes = MaxFileStreamBytes,
        RequiresMaxBytes = RequiresMaxBytes,
    };
}
