using Broker.Transport;

namespace Broker.ZeroMq.Sockets;

/// <summary>What a closed connection could not send.</summary>
internal static class UnsentMessages
{
    /// <summary>Null when no message was left. Within <see cref="ConnectionHandler.OnClosed"/>.</summary>
    internal static ZeroMqUndelivered? Of(Connection connection, ZeroMqPeer peer)
    {
        var (messages, bytes) = connection.CountUnsent();
        return messages == 0 ? null : new ZeroMqUndelivered(peer, messages, bytes);
    }
}
