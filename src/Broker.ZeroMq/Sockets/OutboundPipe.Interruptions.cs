namespace Broker.ZeroMq.Loops;

// This part drops a message if one connection after another ends in the middle of it. The peer may refuse the message
// because of its size, or a relay may end each connection in the middle of it. Such a message would be sent first on
// each new connection, and no later message would ever arrive.
internal sealed partial class OutboundPipe
{
    /// <summary>How many times a message is sent again after its connection ended in the middle of it.</summary>
    internal const int MaxRetries = 3;

    // How many connections in a row have ended in the middle of the oldest message.
    private int _interruptions;

    /// <summary>
    /// Drops the oldest message if it was interrupted too often, and returns its size. Otherwise returns 0. Called when
    /// the backlog contains the unsent messages of a closed connection.
    /// </summary>
    /// <param name="written">The number of messages that were written to the connection.</param>
    private int DropInterrupted(long written)
    {
        MessageBacklog backlog = _backlog!;
        bool isSame = written <= backlog.Count;
        int before = isSame ? _interruptions : 0;
        _interruptions = backlog.IsFirstPartlySent ? before + 1 : before;
        if (_interruptions <= MaxRetries)
        {
            return 0;
        }

        _interruptions = 0;
        return backlog.RemoveFirst();
    }
}
