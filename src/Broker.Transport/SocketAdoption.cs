using System.Net.Sockets;

namespace Broker.Transport;

internal static class SocketAdoption
{
    /// <summary>Makes a connected socket a connection of the loop; from now on the loop owns it.</summary>
    internal static Connection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler)
    {
        if (socket.ProtocolType == ProtocolType.Tcp)
        {
            // Bytes leave once per turn already; waiting for more would only delay them.
            socket.NoDelay = true;
        }

        SocketConnection connection = loop.Poller.Adopt(loop, socket, handler);
        loop.Group.Remember(connection);
        loop.Post(connection.Open);
        return connection;
    }
}
