using System.Net.Sockets;

namespace Broker.Transport;

internal static class SocketAdoption
{
    /// <summary>Makes a connected socket a connection of the loop; unless this throws, the loop owns it from now on, and what was taken of the budget.</summary>
    internal static Connection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler, ConnectionBudget? budget = null)
    {
        if (socket.ProtocolType == ProtocolType.Tcp)
        {
            // Bytes leave once per turn already; waiting for more would only delay them.
            try
            {
                socket.NoDelay = true;
            }
            catch (SocketException)
            {
                // Gone already, on some systems: reading will say so.
            }
        }

        SocketConnection connection = loop.Poller.Adopt(loop, socket, handler);
        connection.CountAgainst(budget);
        try
        {
            loop.Group.Add(connection);
        }
        catch
        {
            connection.CountAgainst(null);
            connection.Abandon();
            throw;
        }

        loop.Post(connection.Open);
        return connection;
    }
}
