using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Subscribing;

/// <summary>How a <see cref="LoopSubscriber"/> is set up.</summary>
public sealed record LoopSubscriberOptions : LoopSocketOptions
{
    /// <summary>All as by default.</summary>
    public LoopSubscriberOptions()
    {
    }

    /// <summary>What all socket types have in common as there, and the rest as by default.</summary>
    internal LoopSubscriberOptions(LoopSocketOptions common)
        : base(common)
    {
    }

    /// <summary>Announce XSUB instead of SUB. Peers treat both alike. Default false.</summary>
    public bool AnnounceExtended { get; init; }

    /// <summary>
    /// What a publisher may send. A message is collected in memory of its own as its bytes arrive, so this bounds the memory of each
    /// peer. Default <see cref="ZmtpLimits.Default"/>: 16 MiB a frame, 64 MiB and 1,024 frames a message.
    /// </summary>
    public ZmtpLimits Limits { get; init; } = ZmtpLimits.Default;

    /// <summary>
    /// How much memory messages that are sent upstream may take while they wait for one publisher, in octets
    /// (<see cref="Broker.Transport.Connection.HeldBytes"/>); each loop of the group that sends may add up to 256 KiB. Subscriptions have at least as much room
    /// beside: only a publisher for which some times more waits is closed, to be told anew after a reconnect. Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes { get; init; } = 64 << 20;

    /// <summary>How many messages that are sent upstream may wait for one publisher; 0 for no bound but that in octets. Subscriptions do not count.</summary>
    internal int MostUpstreamMessages { get; init; }

    internal override ZmtpLimits InboundLimits => Limits;

    internal override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Limits);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingBytes, 1);
    }
}
