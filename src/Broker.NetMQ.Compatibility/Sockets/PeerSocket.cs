using System.Buffers.Binary;
using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>
/// PEER: a ROUTER that connects to other PEERs and knows each by a routing id of four bytes, which is the first frame
/// of each message. A message to an unknown id throws <see cref="HostUnreachableException"/>.
/// </summary>
public class PeerSocket : NetMQSocket
{
    private Zmq.RouterSocket? _router;

    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket connects.
    /// </param>
    public PeerSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Connect)
        => Settings.RouterMandatory = true;

    /// <summary>Connects to a peer, and reconnects when the connection is lost.</summary>
    /// <param name="address">The address of the peer.</param>
    /// <returns>The routing id of the peer. Messages may be sent to it at once.</returns>
    public byte[] ConnectPeer(string address)
    {
        _ = Started;
        byte[] id = NewId();
        Connect(address, id);
        Settings.LastPeerRoutingId = id;
        return id;
    }

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
    {
        _router = new Zmq.RouterSocket(
            Settings.Fill(new Zmq.RouterSocketOptions()) with
            {
                Mandatory = true,
                DraftType = Zmq.ZmtpSocketType.Peer,
            },
            context);
        return StartedSocket.SendsAndReceives(_router);
    }

    private protected override bool IsUnroutable(ReadOnlySpan<byte> routingId) => !_router!.HasPeer(routingId);

    // An id that this side chooses does not begin with 0, so it is none of those that the socket generates.
    private byte[] NewId()
    {
        byte[] id = new byte[sizeof(uint)];
        do
        {
            BinaryPrimitives.WriteInt32BigEndian(id, Random.Shared.Next());
            id[0] |= 0x80;
        }
        while (!IsUnroutable(id));

        return id;
    }
}
