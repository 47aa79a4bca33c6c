namespace Broker.ZeroMq.Loops;

/// <summary>
/// The options of loop sockets other than PUB and SUB. Immutable; one instance may be used for several sockets.
/// </summary>
public record LoopMessageOptions : LoopSocketOptions
{
    /// <summary>
    /// Creates options with the default values. As in libzmq no PING is sent unless
    /// <see cref="LoopSocketOptions.HeartbeatInterval"/> is set: a peer that accepts no messages for some time would
    /// not answer the PING either, and its connection and queued messages would be lost.
    /// <see cref="LoopSocketOptions.KeepAliveTime"/> detects idle peers that have vanished. If messages are queued for
    /// a vanished peer, the kernel detects the loss when its retransmissions fail; with heartbeats the socket detects
    /// the loss after about <see cref="LoopSocketOptions.HeartbeatTimeout"/> (Linux).
    /// </summary>
    public LoopMessageOptions() => HeartbeatInterval = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How many messages may be queued for one peer before it is full. 0 means that only the limit in bytes applies.
    /// Sent messages are counted in steps of a sixteenth of this number. Default 1,000, as in libzmq.
    /// </summary>
    public int SendHighWaterMark { get; init; } = 1000;

    /// <summary>
    /// How much memory the queue of one peer may use before it is full, in bytes. This memory contains the messages and
    /// the unused space at the ends of buffers (<see cref="Broker.Transport.Connection.BufferedBytes"/>); the messages
    /// are at least about half of it. An empty queue accepts one message that is larger than the limit. Default 16 MiB.
    /// </summary>
    public long SendHighWaterBytes { get; init; } = 16 << 20;

    /// <summary>
    /// Whether messages are queued only for peers with a completed connection. If false, the default as in libzmq, each
    /// endpoint that the socket connects to has a queue from the start, and the queue outlives the connections to that
    /// endpoint.
    /// </summary>
    public bool Immediate { get; init; }

    /// <summary>
    /// Whether only the newest message is kept for each peer. It applies to the messages sent to the peer and, on
    /// thread-safe sockets, also to the messages received from it. The high-water marks then have no effect, and no
    /// message counts as dropped. For PUSH, PULL, DEALER, PUB and SUB. Default false.
    /// </summary>
    public bool Conflate { get; init; }

    /// <summary>
    /// A message of one frame that each peer receives before all others. For PUSH, DEALER, ROUTER and PAIR;
    /// <see cref="XPublisherSocketOptions.WelcomeMessage"/> is for XPUB. Default empty: none is sent.
    /// </summary>
    public ReadOnlyMemory<byte> HelloMessage { get; init; }

    /// <summary>
    /// The limits of the messages that a peer may send. A message is collected in its own buffer while its bytes
    /// arrive, so that this limits the memory of each peer. A message over a limit is refused and counted, and its
    /// connection ends; a peer of ZMTP 3.1 is sent the reason. Default <see cref="ZmtpLimits.Default"/>: 64 MiB and
    /// 1,048,576 frames.
    /// </summary>
    public ZmtpLimits Limits { get; init; } = ZmtpLimits.Default;

    /// <summary>Whether there is a hello message, but sockets of this type send none.</summary>
    internal bool HasUnusableHello(ZmtpSocketType type) => !HelloMessage.IsEmpty
        && (type.Basis() ?? type) is not (ZmtpSocketType.Push or ZmtpSocketType.Dealer or ZmtpSocketType.Router or ZmtpSocketType.Pair);

    /// <summary>Whether the socket sends an empty message to ROUTER peers first, so that they know it.</summary>
    internal virtual bool ProbesRouter => false;

    internal override ZmtpLimits InboundLimits => Limits;

    internal override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Limits);
        ArgumentOutOfRangeException.ThrowIfNegative(SendHighWaterMark);
        ArgumentOutOfRangeException.ThrowIfLessThan(SendHighWaterBytes, 1);
    }
}
