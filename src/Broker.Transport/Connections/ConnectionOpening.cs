namespace Broker.Transport;

/// <summary>Opens a connection: calls the handler's OnOpened once, then starts to receive. On the loop.</summary>
internal static class ConnectionOpening
{
    /// <summary>Calls <see cref="ConnectionHandler.OnOpened"/> and starts to receive.</summary>
    internal static void Open(Connection connection)
    {
        // The handler may close the connection. Its descriptor may then already belong to another connection.
        if (!connection.IsClosed && TryAnnounce(connection))
        {
            try
            {
                connection.Transport.StartReceiving();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                connection.CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            }
        }
    }

    /// <summary>
    /// Calls <see cref="ConnectionHandler.OnOpened"/> unless it was called before. Returns false if the connection is
    /// closed afterwards.
    /// </summary>
    internal static bool TryAnnounce(Connection connection)
    {
        if (!connection.Lifecycle.IsAnnounced)
        {
            connection.Lifecycle.Open();
            connection.Spinning.Open(connection.Loop);
            try
            {
                connection.Handler.OnOpened(connection);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                connection.CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            }
        }

        return !connection.IsClosed;
    }
}
