namespace Broker.Streams;

/// <summary>The limits of a stream for the configurations of its consumers.</summary>
internal sealed class ConsumerLimits
{
    /// <summary>In nanoseconds.</summary>
    public long? InactiveThreshold { get; set; }

    public int? MaxAckPending { get; set; }
}
