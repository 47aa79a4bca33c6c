using Broker.ZeroMq.Publishing;

namespace Broker.ZeroMq;

/// <summary>How a <see cref="PublisherSocket"/> is set up that says what its subscribers may ask for, and what <see cref="XPublisherSocket"/> has too.</summary>
public record PublisherSocketOptions : ZeroMqSocketOptions
{
    private static readonly LoopPublisherOptions Defaults = new();

    /// <summary>All as by default.</summary>
    public PublisherSocketOptions()
    {
    }

    /// <summary>What all socket types have in common as there, and the rest as by default.</summary>
    internal PublisherSocketOptions(ZeroMqSocketOptions common)
        : base(common)
    {
    }

    /// <summary>
    /// How long a subscriber may take nothing while messages wait for it before it is closed. Default
    /// <see cref="Timeout.InfiniteTimeSpan"/>: it loses messages and keeps its connection.
    /// </summary>
    public TimeSpan StalledPeerTimeout { get; init; } = Defaults.StalledPeerTimeout;

    /// <summary>
    /// Longest subscription of a peer, in octets. Also bounds the other messages that XSUB peers may send upstream. Default 64 KiB.
    /// </summary>
    public int MaxSubscriptionSize { get; init; } = Defaults.MaxSubscriptionSize;

    /// <summary>Most distinct prefixes of one peer; one that asks for more is refused. Default 65,536.</summary>
    public int MaxSubscriptionsPerPeer { get; init; } = Defaults.MaxSubscriptionsPerPeer;

    /// <summary>Most octets in the distinct prefixes of one peer. Default 4 MiB.</summary>
    public int MaxSubscriptionBytesPerPeer { get; init; } = Defaults.MaxSubscriptionBytesPerPeer;

    /// <summary>
    /// Most memory for the subscriptions of all peers, in bytes; <see cref="LoopPublisherOptions.MaxSubscriptionMemory"/> says how it is
    /// shared. Default 128 MiB.
    /// </summary>
    public long MaxSubscriptionMemory { get; init; } = Defaults.MaxSubscriptionMemory;

    /// <summary>The same for the socket that does the work.</summary>
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
