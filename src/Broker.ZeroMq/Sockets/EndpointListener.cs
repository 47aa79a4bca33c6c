using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>Listens at the TCP and Unix endpoints of a socket, and refuses peers by their addresses.</summary>
/// <param name="socket">The socket that the sessions of accepted peers belong to.</param>
/// <param name="singleLoop">The loop of all peers; null to assign each new peer to the next loop of the group.</param>
internal sealed class EndpointListener(LoopSocket socket, EventLoop? singleLoop)
{
    /// <exception cref="ZeroMqBindException">The endpoint cannot be bound; the message contains the reason.</exception>
    internal Listener Listen(ZeroMqEndpoint endpoint, IReadOnlyList<IPNetwork> allowed, out ZeroMqEndpoint bound)
    {
        // A peer may connect before this method knows the port that the system chose. The endpoint of such a peer is
        // the text that the caller passed.
        var name = new StrongBox<string>(endpoint.ToString());
        try
        {
            EndPoint address = endpoint.ToBind();
            Listener listener;
            try
            {
                listener = Start(address);
            }
            catch (SocketException e) when (e.SocketErrorCode == SocketError.AddressAlreadyInUse
                && endpoint.Path is { } path && StaleSocketFile.TryRemove(path, address))
            {
                listener = Start(address);
            }

            bound = endpoint.WithPort(listener.EndPoint);
            name.Value = bound.ToString();
            return listener;
        }
        catch (SocketException e)
        {
            throw new ZeroMqBindException(endpoint, e);
        }

        Listener Start(EndPoint address) => singleLoop is null
            ? Listener.Start(socket.Loops, address, Accept)
            : Listener.Start(singleLoop, address, Accept);

        ConnectionHandler? Accept(EventLoop loop, EndPoint? remote) => IsAllowed(remote, allowed)
            ? socket.CreateSession(loop, name.Value!, link: null)
            : Refuse(name.Value!, remote);
    }

    private static bool IsAllowed(EndPoint? remote, IReadOnlyList<IPNetwork> allowed)
    {
        if (allowed.Count == 0 || remote is UnixDomainSocketEndPoint)
        {
            return true;
        }

        // If the address is no longer known, the peer has disconnected.
        if (remote is not IPEndPoint { Address: var address })
        {
            return false;
        }

        if (address.IsIPv4MappedToIPv6)
        {
            address = address.MapToIPv4();
        }

        foreach (IPNetwork network in allowed)
        {
            if (network.Contains(address))
            {
                return true;
            }
        }

        return false;
    }

    private PeerSession? Refuse(string endpoint, EndPoint? remote)
    {
        string address = ZeroMqEndpoint.Show(remote, endpoint);
        socket.CountRefusedPeer();
        socket.Report(
            new ZeroMqEvent(ZeroMqEventKind.PeerRefused, endpoint, address, Peer: null, "its address is not allowed"));
        return null;
    }
}
