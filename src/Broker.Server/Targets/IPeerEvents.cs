using Broker.Transport;

namespace Broker.Server;

/// <summary>Reports connections to peer servers. The methods are called on the loop.</summary>
internal interface IPeerEvents
{
    /// <summary>Messages pass from now on. Returns the id and the start of the connection.</summary>
    (ulong Id, DateTime Started) PeerConnected(EventLoop loop, Account account, RemoteConnection connection);

    /// <summary>The connection has ended.</summary>
    void PeerDisconnected(EventLoop loop, Account account, (ulong Id, DateTime Started) known, RemoteConnection connection, string reason);
}
