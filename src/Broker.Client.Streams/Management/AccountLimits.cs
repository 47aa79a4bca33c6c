using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>The limits of an account. -1 for no limit.</summary>
public sealed record AccountLimits
{
    /// <summary>The largest size of all messages in memory, in bytes.</summary>
    public long MaxMemory { get; set; }

    /// <summary>The largest size of all messages in files, in bytes.</summary>
    public long MaxStorage { get; set; }

    /// <summary>The largest number of streams.</summary>
    public long MaxStreams { get; set; }

    /// <summary>The largest number of consumers.</summary>
    public long MaxConsumers { get; set; }

    /// <summary>The largest <see cref="ConsumerConfig.MaxAckPending"/>.</summary>
    public long MaxAckPending { get; set; }

    /// <summary>Whether each stream must have a size limit.</summary>
    [JsonPropertyName("max_bytes_required")]
    public bool IsMaxBytesRequired { get; set; }
}
