using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// The options of a <see cref="PublisherSocket"/>, including the limits for its subscribers. An
/// <see cref="XPublisherSocket"/> has the same limits.
/// </summary>
public record PublisherSocketOptions : ZeroMqSocketOptions
{
    private static readonly LoopPublisherOptions Defaults = new();

    /// <summary>Creates options with the default values.</summary>
    public PublisherSocketOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. All other options have their default values.</summary>
    internal PublisherSocketOptions(ZeroMqSocketOptions common)
        : base(common)
    {
    }

    /// <summary>
    /// How long a subscriber may accept no bytes while messages are queued for it. After this time its connection is
    /// closed. Default <see cref="Timeout.InfiniteTimeSpan"/>: the connection stays open, and the subscriber loses
    /// messages.
    /// </summary>
    public TimeSpan StalledPeerTimeout { get; init; } = Defaults.StalledPeerTimeout;

    /// <summary>
    /// The largest size of one subscription in bytes. Other messages that XSUB peers send upstream have the same limit.
    /// Default 64 KiB.
    /// </summary>
    public int MaxSubscriptionSize { get; init; } = Defaults.MaxSubscriptionSize;

    /// <summary>
    /// The most distinct prefixes of one peer. A peer that subscribes to more prefixes is refused, and its connection
    /// is closed. Default 65,536.
    /// </summary>
    public int MaxSubscriptionsPerPeer { get; init; } = Defaults.MaxSubscriptionsPerPeer;

    /// <summary>The total size of the distinct prefixes of one peer, in bytes. Default 4 MiB.</summary>
    public int MaxSubscriptionBytesPerPeer { get; init; } = Defaults.MaxSubscriptionBytesPerPeer;

    /// <summary>
    /// The most memory for the subscriptions of all peers, in bytes.
    /// <see cref="LoopPublisherOptions.MaxSubscriptionMemory"/> describes how peers share it. Default 128 MiB.
    /// </summary>
    public long MaxSubscriptionMemory { get; init; } = Defaults.MaxSubscriptionMemory;

    /// <summary>Returns these options in the form that the loop socket takes.</summary>
    internal LoopPublisherOptions ForLoops() => new(this)
    {
        HighWaterMark = SendHighWaterBytes,
        HighWaterMessages = SendHighWaterMark,
        Conflate = Conflate,
        StalledPeerTimeout = StalledPeerTimeout,
        MaxSubscriptionSize = MaxSubscriptionSize,
        MaxSubscriptionsPerPeer = MaxSubscriptionsPerPeer,
        MaxSubscriptionBytesPerPeer = MaxSubscriptionBytesPerPeer,
        MaxSubscriptionMemory = MaxSubscriptionMemory,
    };

    internal override void Validate()
    {
        base.Validate();
        ForLoops().Validate();
    }
}
