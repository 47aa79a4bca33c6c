using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// The options of a <see cref="PublisherSocket"/>: the limits of its subscribers. <see cref="XPublisherSocket"/> has
/// them too.
/// </summary>
public record PublisherSocketOptions : ZeroMqSocketOptions
{
    private static readonly LoopPublisherOptions Defaults = new();

    /// <summary>Creates options with the default values.</summary>
    public PublisherSocketOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. The others have their default values.</summary>
    internal PublisherSocketOptions(ZeroMqSocketOptions common)
        : base(common)
    {
    }

    /// <summary>
    /// How long a subscriber may accept nothing while messages are queued for it, before its connection is closed.
    /// Default <see cref="Timeout.InfiniteTimeSpan"/>: it loses messages and keeps its connection.
    /// </summary>
    public TimeSpan StalledPeerTimeout { get; init; } = Defaults.StalledPeerTimeout;

    /// <summary>
    /// The longest subscription of a peer in bytes. It also limits the other messages that XSUB peers may send
    /// upstream. Default 64 KiB.
    /// </summary>
    public int MaxSubscriptionSize { get; init; } = Defaults.MaxSubscriptionSize;

    /// <summary>
    /// The most distinct prefixes of one peer. A peer that subscribes to more is refused. Default 65,536.
    /// </summary>
    public int MaxSubscriptionsPerPeer { get; init; } = Defaults.MaxSubscriptionsPerPeer;

    /// <summary>The total size of the distinct prefixes of one peer, in bytes. Default 4 MiB.</summary>
    public int MaxSubscriptionBytesPerPeer { get; init; } = Defaults.MaxSubscriptionBytesPerPeer;

    /// <summary>
    /// The most memory for the subscriptions of all peers, in bytes.
    /// <see cref="LoopPublisherOptions.MaxSubscriptionMemory"/> describes how peers share it. Default 128 MiB.
    /// </summary>
    public long MaxSubscriptionMemory { get; init; } = Defaults.MaxSubscriptionMemory;

    /// <summary>The same options for the loop socket that does the work.</summary>
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
