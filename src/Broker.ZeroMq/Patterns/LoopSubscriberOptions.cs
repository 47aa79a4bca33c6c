namespace Broker.ZeroMq.Loops;

/// <summary>The options of a <see cref="LoopSubscriber"/>.</summary>
public sealed record LoopSubscriberOptions : LoopSocketOptions
{
    /// <summary>Creates options with the default values.</summary>
    public LoopSubscriberOptions()
    {
    }

    /// <summary>Copies the options that all socket types share. All other options have their default values.</summary>
    internal LoopSubscriberOptions(LoopSocketOptions common)
        : base(common)
    {
    }

    /// <summary>Whether the socket announces XSUB instead of SUB. Peers treat both alike. Default false.</summary>
    public bool AnnounceExtended { get; init; }

    /// <summary>
    /// The limits of the messages that a publisher may send. The bytes of a message are collected in a buffer while
    /// they arrive, so these limits also limit the memory of each peer. A message over a limit is refused and counted,
    /// and the connection is closed; a peer that uses ZMTP 3.1 is sent the reason. Default
    /// <see cref="ZmtpLimits.Default"/>: 64 MiB and 1,048,576 frames.
    /// </summary>
    public ZmtpLimits Limits { get; init; } = ZmtpLimits.Default;

    /// <summary>
    /// How much memory the upstream messages that are queued for one publisher may use, in bytes
    /// (<see cref="Broker.Transport.Connection.BufferedBytes"/>). Each sending loop of the group may exceed the limit
    /// by up to 256 KiB. Subscriptions may use at least as much memory in addition. The connection of a publisher is
    /// closed only if several times this limit is queued for it; after the reconnect, all subscriptions are sent again.
    /// Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes { get; init; } = 64 << 20;

    /// <summary>
    /// How many upstream messages may be queued for one publisher. 0 means that only the limit in bytes applies.
    /// Subscriptions do not count.
    /// </summary>
    internal int MaxUpstreamMessages { get; init; }

    internal override ZmtpLimits InboundLimits => Limits;

    internal override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Limits);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingBytes, 1);
    }
}
