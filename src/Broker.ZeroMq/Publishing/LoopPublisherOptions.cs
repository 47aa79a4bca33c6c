using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Publishing;

/// <summary>How a <see cref="LoopPublisher"/> is set up.</summary>
public sealed record LoopPublisherOptions : LoopSocketOptions
{
    /// <summary>All as by default.</summary>
    public LoopPublisherOptions()
    {
    }

    /// <summary>What all socket types have in common as there, and the rest as by default.</summary>
    internal LoopPublisherOptions(LoopSocketOptions common)
        : base(common)
    {
    }

    /// <summary>Announce XPUB instead of PUB. Peers treat both alike. Default false.</summary>
    public bool AnnounceExtended { get; init; }

    /// <summary>
    /// How much memory what waits for one peer may take, in octets: the messages, at least about half of it, and the room between them that nothing more
    /// is written to (<see cref="Broker.Transport.Connection.HeldBytes"/>). A message that would exceed it is dropped, whole and for that peer only, unless nothing
    /// waits: a message larger than the mark passes alone. Each loop of the group may add up to 256 KiB. Default 8 MiB.
    /// </summary>
    public long HighWaterMark { get; init; } = 8 << 20;

    /// <summary>
    /// How many messages may wait for one peer besides; 0, the default, for no bound but that in octets. They are counted as sent a sixteenth
    /// of it at a time, and each loop of the group that publishes may add as much.
    /// </summary>
    public int HighWaterMessages { get; init; }

    /// <summary>
    /// Whether a message is refused when a peer that wants it is full, instead of dropped for that peer: <c>Publish</c> says -1, nobody gets
    /// it, and <see cref="LoopPublisher.OnWritable"/> tells of room. The slowest subscriber is then the pace of all. Default false.
    /// </summary>
    public bool NoDrop { get; init; }

    /// <summary>
    /// Whether of what is sent to a peer only the newest message waits, whatever the topics; the marks mean nothing then, and nothing is counted as dropped.
    /// Default false.
    /// </summary>
    public bool Conflate { get; init; }

    /// <summary>
    /// What each peer is sent first, as a message of one frame; it gets to the application there if that has subscribed to it. Default
    /// empty: nothing.
    /// </summary>
    public ReadOnlyMemory<byte> WelcomeMessage { get; init; }

    /// <summary>
    /// How long a peer may take nothing while messages wait for it before it is closed. Default <see cref="Timeout.InfiniteTimeSpan"/>:
    /// as in ZeroMQ, a stalled subscriber loses messages and keeps its connection, whatever PINGs it leaves unanswered behind them. One that
    /// has vanished from the network meanwhile is then found by the kernel alone, which takes a quarter of an hour to give up what it sends.
    /// </summary>
    public TimeSpan StalledPeerTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Longest subscription of a peer, in octets. Also bounds the other messages that XSUB peers may send upstream. Default 64 KiB.
    /// </summary>
    public int MaxSubscriptionSize { get; init; } = 64 << 10;

    /// <summary>Most distinct prefixes of one peer; one that asks for more is refused. Default 65,536.</summary>
    public int MaxSubscriptionsPerPeer { get; init; } = 65_536;

    /// <summary>Most octets in the distinct prefixes of one peer. Default 4 MiB.</summary>
    public int MaxSubscriptionBytesPerPeer { get; init; } = 4 << 20;

    /// <summary>
    /// Most memory for the subscriptions of all peers, in bytes: twice their octets and some 250 more for each. Half of it is shared out evenly, so that each of <see cref="LoopSocketOptions.MaxPeers"/> has its part
    /// whatever others do; the other half goes to those who ask first. A peer that exceeds both is refused. Default 128 MiB.
    /// </summary>
    public long MaxSubscriptionMemory { get; init; } = 128L << 20;

    /// <summary>
    /// Told of the first subscription to a prefix over all peers and of the end of the last; see <see cref="ZeroMqInterestHandler"/>.
    /// Default none: then nothing is counted over peers.
    /// </summary>
    public ZeroMqInterestHandler? OnInterest { get; init; }

    /// <summary>Asked about each peer's own subscriptions, in the role of an XPUB's verbose mode. Default none.</summary>
    public ZeroMqSubscriptionHandler? OnSubscription { get; init; }

    /// <summary>
    /// Told of each prefix that a peer did not want before, when what is published with it reaches the peer already. On the peer's loop and
    /// under no lock; it may pause the peer. Not of manual sockets. Default none.
    /// </summary>
    internal Action<ZeroMqPeer, ReadOnlySpan<byte>>? OnSubscribed { get; init; }

    /// <summary>
    /// Whether what peers ask for is only told of, by <see cref="OnSubscription"/>, and they get what
    /// <see cref="LoopPublisher.Subscribe"/> gives them. Default false.
    /// </summary>
    public bool Manual { get; init; }

    /// <summary>
    /// Receives what XSUB peers send upstream, as <see cref="ZeroMqMessageHandler"/> describes it; within <see cref="MaxSubscriptionSize"/>. Default none: it is
    /// read and ignored.
    /// </summary>
    public ZeroMqMessageHandler? OnMessage { get; init; }

    /// <summary>Most distinct prefixes over all peers, when there is <see cref="OnInterest"/>; the peer that exceeds it is refused. Default 1,048,576.</summary>
    public int MaxInterestPrefixes { get; init; } = 1 << 20;

    /// <summary>Most octets in the distinct prefixes over all peers, when there is <see cref="OnInterest"/>. Default 64 MiB.</summary>
    public int MaxInterestBytes { get; init; } = 64 << 20;

    internal ZmtpSocketType SocketType => AnnounceExtended ? ZmtpSocketType.XPub : ZmtpSocketType.Pub;

    // In the old form a subscription is a message with one octet before the prefix, in the new one a command with a name.
    internal override ZmtpLimits InboundLimits => new(
        maxFrameSize: MaxSubscriptionSize + 1,
        maxMessageSize: MaxSubscriptionSize + 1,
        maxFrames: 64,
        maxCommandSize: MaxSubscriptionSize + 1 + "SUBSCRIBE".Length);

    internal override void Validate()
    {
        base.Validate();
        ArgumentOutOfRangeException.ThrowIfLessThan(HighWaterMark, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(HighWaterMessages);
        if (Manual && OnSubscription is null)
        {
            throw new ArgumentException("A manual publisher is told of subscriptions by OnSubscription alone, and there is none.", nameof(OnSubscription));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(MaxSubscriptionSize, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxSubscriptionSize, 1 << 30);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSubscriptionsPerPeer);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSubscriptionBytesPerPeer);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSubscriptionMemory);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxInterestPrefixes);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxInterestBytes);
        if (StalledPeerTimeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(StalledPeerTimeout, TimeSpan.Zero);
        }
    }
}
