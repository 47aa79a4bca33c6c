using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Sockets;

/// <summary>How a loop socket is set up that ROUTER peers know by a routing id: DEALER, REQ and ROUTER itself.</summary>
public record LoopRoutedOptions : LoopMessageOptions
{
    /// <summary>
    /// The id by which ROUTER peers send to this socket: up to 255 octets, of which the first is not 0. Default empty: each ROUTER makes
    /// one.
    /// </summary>
    public ReadOnlyMemory<byte> RoutingId { get; init; }

    /// <summary>
    /// Whether a ROUTER peer gets an empty message as soon as it is connected, so that it learns of this socket before that has
    /// anything to say. Default false.
    /// </summary>
    public bool ProbeRouter { get; init; }

    internal override bool ProbesRouter => ProbeRouter;

    internal override ReadOnlyMemory<byte> AnnouncedRoutingId => RoutingId;

    internal override void Validate()
    {
        base.Validate();
        var error = ZmtpPeer.CheckIdentity(RoutingId.Span);
        if (error != ZmtpError.None)
        {
            throw new ArgumentOutOfRangeException(nameof(RoutingId), ZmtpErrors.Text(error));
        }
    }
}
