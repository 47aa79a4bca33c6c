using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>
/// ROUTER: the first frame of each received message is the routing id of its sender, and the first frame of each sent
/// message says which peer gets it.
/// </summary>
public class RouterSocket : NetMQSocket
{
    private Zmq.RouterSocket? _router;

    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket binds.
    /// </param>
    public RouterSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Bind)
    {
    }

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
    {
        _router = new Zmq.RouterSocket(
            Settings.Fill(new Zmq.RouterSocketOptions()) with
            {
                Mandatory = Settings.RouterMandatory,
                Handover = Settings.RouterHandover,
            },
            context);
        return StartedSocket.SendsAndReceives(_router);
    }

    private protected override bool IsUnroutable(ReadOnlySpan<byte> routingId) => !_router!.HasPeer(routingId);
}
