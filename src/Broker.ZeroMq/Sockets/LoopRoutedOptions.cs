namespace Broker.ZeroMq.Loops;

/// <summary>The options of loop sockets that have a routing id for ROUTER peers: DEALER, REQ and ROUTER.</summary>
public record LoopRoutedOptions : LoopMessageOptions
{
    /// <summary>
    /// The routing id by which ROUTER peers send to this socket: up to 255 bytes. ZMTP reserves ids that begin with
    /// byte 0 for those that a ROUTER generates; libzmq and NetMQ take them all the same, and so does this library.
    /// Default empty: each ROUTER peer generates an id for this socket.
    /// </summary>
    public ReadOnlyMemory<byte> RoutingId { get; init; }

    /// <summary>
    /// Whether the socket sends an empty message to each ROUTER peer right after the connection is made. So the ROUTER
    /// can send to this socket before this socket has sent another message. Default false.
    /// </summary>
    public bool ProbeRouter { get; init; }

    internal override bool ProbesRouter => ProbeRouter;

    internal override ReadOnlyMemory<byte> AnnouncedRoutingId => RoutingId;

    internal override void Validate()
    {
        base.Validate();
        ZmtpError error = ZmtpPeer.CheckIdentity(RoutingId.Span);
        if (error != ZmtpError.None)
        {
            throw new ArgumentOutOfRangeException(nameof(RoutingId), ZmtpErrors.Text(error));
        }
    }
}
