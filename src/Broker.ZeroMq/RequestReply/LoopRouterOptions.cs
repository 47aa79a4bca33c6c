using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.RequestReply;

/// <summary>How a <see cref="LoopRouter"/> is set up.</summary>
public sealed record LoopRouterOptions : LoopRoutedOptions
{
    /// <summary>All as by default.</summary>
    public LoopRouterOptions()
    {
    }

    /// <summary>What all socket types have in common as there, and the rest as by default.</summary>
    internal LoopRouterOptions(LoopRoutedOptions common)
        : base(common)
    {
    }

    /// <summary>
    /// Whether a message that cannot be routed, or whose peer is full, is refused with that result. Without it, the default and that of
    /// libzmq, it
    /// is dropped and counted.
    /// </summary>
    public bool Mandatory { get; init; }

    /// <summary>
    /// Whether a peer with the routing id of another takes its place, and the other is disconnected. Without it, the default, the newcomer
    /// is refused. Set it only where every peer is trusted with every id.
    /// </summary>
    public bool Handover { get; init; }
}
