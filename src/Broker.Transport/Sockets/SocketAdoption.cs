using System.Net.Sockets;

namespace Broker.Transport;

internal static class SocketAdoption
{
    /// <summary>
    /// Creates a connection of the loop for a connected socket. If the method does not throw, the connection owns the
    /// socket and the permission of the budget.
    /// </summary>
    internal static Connection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler, ConnectionBudget? budget = null)
    {
        if (socket.ProtocolType == ProtocolType.Tcp)
        {
            // A loop already sends bytes once for each iteration, so Nagle's algorithm would only delay them.
            try
            {
                socket.NoDelay = true;
            }
            catch (SocketException)
            {
                // On some systems the option fails if the peer has closed the connection. The next read reports this.
            }
        }

        var connection = (SocketConnection)loop.Poller.Adopt(loop, socket, handler);
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
