namespace Broker.ZeroMq.Loops;

/// <summary>The options of a <see cref="LoopPublisher"/>.</summary>
public sealed record LoopPublisherOptions : LoopSocketOptions
{
    /// <summary>Creates options with the default values.</summary>
    public LoopPublisherOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. The others have their default values.</summary>
    internal LoopPublisherOptions(LoopSocketOptions common)
        : base(common)
    {
    }

    /// <summary>Whether the socket announces XPUB instead of PUB. Peers treat both alike. Default false.</summary>
    public bool AnnounceExtended { get; init; }

    /// <summary>
    /// How much memory the queue of one peer may use, in bytes. It counts the messages, which are at least about half
    /// of it, and the unused space at the ends of buffers (<see cref="Broker.Transport.Connection.BufferedBytes"/>). A
    /// message that would exceed the limit is dropped completely and for that peer only. If nothing is queued, a larger
    /// message is accepted. Each loop of the group may add up to 256 KiB. Default 8 MiB.
    /// </summary>
    public long HighWaterMark { get; init; } = 8 << 20;

    /// <summary>
    /// How many messages may be queued for one peer, in addition to the limit in bytes. 0, the default, means that only
    /// the limit in bytes applies. Sent messages are counted in steps of a sixteenth of this number, and each
    /// publishing loop of the group may add as much.
    /// </summary>
    public int HighWaterMessages { get; init; }

    /// <summary>
    /// Whether a message is refused if a peer that wants it is full, instead of dropped for that peer. <c>Publish</c>
    /// then returns -1, no peer gets the message, and <see cref="LoopPublisher.OnWritable"/> is called when there is
    /// room. So the slowest subscriber slows down all others. Default false.
    /// </summary>
    public bool NoDrop { get; init; }

    /// <summary>
    /// Whether only the newest message is kept for each peer, whatever its topic. The marks then have no effect, and no
    /// message counts as dropped. Default false.
    /// </summary>
    public bool Conflate { get; init; }

    /// <summary>
    /// A message of one frame that the socket sends to each peer first. The peer's application gets it if it has
    /// subscribed to it. Default empty: none is sent.
    /// </summary>
    public ReadOnlyMemory<byte> WelcomeMessage { get; init; }

    /// <summary>
    /// How long a peer may accept nothing while messages are queued for it, before its connection is closed. Default
    /// <see cref="Timeout.InfiniteTimeSpan"/>: as in ZeroMQ, a stalled subscriber loses messages and keeps its
    /// connection, even if it does not answer PINGs behind these messages. If it has vanished from the network, only
    /// the kernel detects that, after about a quarter of an hour of retransmissions.
    /// </summary>
    public TimeSpan StalledPeerTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The longest subscription of a peer in bytes. It also limits the other messages that XSUB peers may send
    /// upstream. Default 64 KiB.
    /// </summary>
    public int MaxSubscriptionSize { get; init; } = 64 << 10;

    /// <summary>
    /// The most distinct prefixes of one peer. A peer that subscribes to more is refused. Default 65,536.
    /// </summary>
    public int MaxSubscriptionsPerPeer { get; init; } = 65_536;

    /// <summary>The total size of the distinct prefixes of one peer, in bytes. Default 4 MiB.</summary>
    public int MaxSubscriptionBytesPerPeer { get; init; } = 4 << 20;

    /// <summary>
    /// The most memory for the subscriptions of all peers, in bytes: twice their size and about 250 more for each. Half
    /// of it is divided evenly, so that each of <see cref="LoopSocketOptions.MaxPeers"/> has its part whatever others
    /// do. The other half is given to the peers that subscribe first. A peer that exceeds both is refused. Default 128
    /// MiB.
    /// </summary>
    public long MaxSubscriptionMemory { get; init; } = 128L << 20;

    /// <summary>
    /// Called when the first of all peers subscribes to a prefix, and when the last one unsubscribes; see
    /// <see cref="ZeroMqInterestHandler"/>. Default none: then subscriptions are not counted over all peers.
    /// </summary>
    public ZeroMqInterestHandler? OnInterest { get; init; }

    /// <summary>Called with each peer's own subscriptions, as in an XPUB's verbose mode. Default none.</summary>
    public ZeroMqSubscriptionHandler? OnSubscription { get; init; }

    /// <summary>
    /// Called with each prefix that is new for its peer, after messages with that prefix already reach the peer. It
    /// runs on the peer's loop and under no lock, and may pause the peer. Not called for manual sockets. Default none.
    /// </summary>
    public Action<ZeroMqPeer, ReadOnlySpan<byte>>? OnSubscribed { get; init; }

    /// <summary>
    /// Whether the application decides which messages a peer gets, by <see cref="LoopPublisher.Subscribe"/>. The peers'
    /// own subscriptions are then only passed to <see cref="OnSubscription"/>. Default false.
    /// </summary>
    public bool Manual { get; init; }

    /// <summary>
    /// Handles the messages that XSUB peers send upstream, up to <see cref="MaxSubscriptionSize"/>, as
    /// <see cref="ZeroMqMessageHandler"/> describes. Default none: they are read and ignored.
    /// </summary>
    public ZeroMqMessageHandler? OnMessage { get; init; }

    /// <summary>
    /// The most distinct prefixes over all peers, if <see cref="OnInterest"/> is set. A peer that exceeds it is
    /// refused. Default 1,048,576.
    /// </summary>
    public int MaxInterestPrefixes { get; init; } = 1 << 20;

    /// <summary>
    /// The total size of the distinct prefixes over all peers in bytes, if <see cref="OnInterest"/> is set. Default 64
    /// MiB.
    /// </summary>
    public int MaxInterestBytes { get; init; } = 64 << 20;

    internal ZmtpSocketType SocketType => AnnounceExtended ? ZmtpSocketType.XPub : ZmtpSocketType.Pub;

    // In the old form a subscription is a message with one byte before the prefix; in the new form it is a command with
    // a name.
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
            throw new ArgumentException(
                "A manual publisher needs the OnSubscription callback, which is not set.", nameof(OnSubscription));
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
