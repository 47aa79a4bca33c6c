using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>Counts the messages that a closed connection could not send.</summary>
internal static class UnsentMessages
{
    /// <summary>
    /// Counts the unsent messages of a connection. Returns null if there are none. Called within
    /// <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    internal static ZeroMqUndelivered? Of(Connection connection, ZeroMqPeer peer)
    {
        (long messages, long bytes) = connection.CountUnsent();
        return messages == 0 ? null : new ZeroMqUndelivered(peer, messages, bytes);
    }
}
