namespace Broker.ZeroMq.Loops;

/// <summary>The options of a <see cref="LoopPublisher"/>.</summary>
public sealed record LoopPublisherOptions : LoopSocketOptions
{
    /// <summary>Creates options with the default values.</summary>
    public LoopPublisherOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. All other options have their default values.</summary>
    internal LoopPublisherOptions(LoopSocketOptions common)
        : base(common)
    {
    }

    /// <summary>Whether the socket announces XPUB instead of PUB. Peers treat both alike. Default false.</summary>
    public bool AnnounceExtended { get; init; }

    /// <summary>
    /// How much memory the queue of one peer may use, in bytes. This memory contains the messages and the unused space
    /// at the ends of buffers (<see cref="Broker.Transport.Connection.BufferedBytes"/>); the messages are at least
    /// about half of it. A message that would exceed the limit is dropped as a whole, and only for that peer. An empty
    /// queue accepts one message that is larger than the limit. Each loop of the group may exceed the limit by up to
    /// 256 KiB. Default 8 MiB.
    /// </summary>
    public long HighWaterMark { get; init; } = 8 << 20;

    /// <summary>
    /// How many messages may be queued for one peer, in addition to the limit in bytes. 0, the default, means that only
    /// the limit in bytes applies. Sent messages are counted in steps of a sixteenth of this number, and each
    /// publishing loop of the group may exceed the limit by one step.
    /// </summary>
    public int HighWaterMessages { get; init; }

    /// <summary>
    /// Whether a message is refused if a peer that wants it has no room. <c>Publish</c> then returns -1, no peer gets
    /// the message, and <see cref="LoopPublisher.OnWritable"/> is called when there is room again. So the slowest
    /// subscriber slows down all other subscribers. Default false: the message is dropped, but only for the peer that
    /// has no room.
    /// </summary>
    public bool NoDrop { get; init; }

    /// <summary>
    /// Whether only the newest message is kept for each peer, whatever its topic. The high-water marks then have no
    /// effect, and no message counts as dropped. Default false.
    /// </summary>
    public bool Conflate { get; init; }

    /// <summary>
    /// The first message that the socket sends to each peer; it has one frame. The peer's application receives it only
    /// if the peer has subscribed to a prefix of it. Default empty: no such message is sent.
    /// </summary>
    public ReadOnlyMemory<byte> WelcomeMessage { get; init; }

    /// <summary>
    /// How long a peer may accept no bytes while messages are queued for it. After this time its connection is closed.
    /// Default <see cref="Timeout.InfiniteTimeSpan"/>: as in ZeroMQ, a stalled subscriber loses messages and keeps its
    /// connection, even if it does not answer PINGs that are queued behind these messages. If the subscriber has
    /// vanished from the network, only the kernel detects its absence, after it has retransmitted for about a quarter
    /// of an hour.
    /// </summary>
    public TimeSpan StalledPeerTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The largest size of one subscription in bytes. Other messages that XSUB peers send upstream have the same limit.
    /// Default 64 KiB.
    /// </summary>
    public int MaxSubscriptionSize { get; init; } = 64 << 10;

    /// <summary>
    /// The most distinct prefixes of one peer. A peer that subscribes to more prefixes is refused, and its connection
    /// is closed. Default 65,536.
    /// </summary>
    public int MaxSubscriptionsPerPeer { get; init; } = 65_536;

    /// <summary>The total size of the distinct prefixes of one peer, in bytes. Default 4 MiB.</summary>
    public int MaxSubscriptionBytesPerPeer { get; init; } = 4 << 20;

    /// <summary>
    /// The most memory for the subscriptions of all peers, in bytes. A prefix of a peer counts as twice its length plus
    /// 500 bytes, or three times its length plus 750 bytes with <see cref="Manual"/>. One half of the memory is divided
    /// evenly: each of <see cref="LoopSocketOptions.MaxPeers"/> peers has a reserved part. All peers share the other
    /// half; the peers that subscribe first get it. A peer is refused if its reserved part and the shared half are used
    /// up. Default 128 MiB.
    /// </summary>
    public long MaxSubscriptionMemory { get; init; } = 128L << 20;

    /// <summary>
    /// Called when a prefix gets its first subscriber among all peers, and when it loses its last one; see
    /// <see cref="ZeroMqInterestHandler"/>. Default none: <see cref="MaxInterestPrefixes"/> and
    /// <see cref="MaxInterestBytes"/> then have no effect.
    /// </summary>
    public ZeroMqInterestHandler? OnInterest { get; init; }

    /// <summary>
    /// Called with every subscription and cancellation of each peer, as in an XPUB's verbose mode. Default none.
    /// </summary>
    public ZeroMqSubscriptionHandler? OnSubscription { get; init; }

    /// <summary>
    /// Called with each prefix to which a peer had not subscribed before. At that time messages with that prefix
    /// already reach the peer. The callback runs on the peer's loop and under no lock, and may pause the peer. It is
    /// not called for manual sockets. Default none.
    /// </summary>
    public Action<ZeroMqPeer, ReadOnlySpan<byte>>? OnSubscribed { get; init; }

    /// <summary>
    /// Whether the application decides which messages a peer gets: it calls <see cref="LoopPublisher.Subscribe"/>. The
    /// subscriptions of the peers are still passed to <see cref="OnSubscription"/>, but have no other effect. Default
    /// false.
    /// </summary>
    public bool Manual { get; init; }

    /// <summary>
    /// Handles the messages that XSUB peers send upstream, as <see cref="ZeroMqMessageHandler"/> describes.
    /// <see cref="MaxSubscriptionSize"/> limits their size. Default none: these messages are read and ignored.
    /// </summary>
    public ZeroMqMessageHandler? OnMessage { get; init; }

    /// <summary>
    /// The most distinct prefixes over all peers, if <see cref="OnInterest"/> is set. A peer with a subscription that
    /// would exceed this limit is refused. Default 1,048,576.
    /// </summary>
    public int MaxInterestPrefixes { get; init; } = 1 << 20;

    /// <summary>
    /// The total size of the distinct prefixes over all peers in bytes, if <see cref="OnInterest"/> is set. Default 64
    /// MiB.
    /// </summary>
    public int MaxInterestBytes { get; init; } = 64 << 20;

    internal ZmtpSocketType SocketType => AnnounceExtended ? ZmtpSocketType.XPub : ZmtpSocketType.Pub;

    // Before ZMTP 3.1 a subscription is a message with one byte before the prefix; since ZMTP 3.1 it is a command with
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
