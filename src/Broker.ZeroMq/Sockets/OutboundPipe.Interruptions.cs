namespace Broker.ZeroMq.Loops;

// A message that is interrupted again and again. A peer may refuse a message by its size, or a relay may end each
// connection in the middle of it. If it was sent first on each new connection, nothing behind it would ever arrive.
internal sealed partial class OutboundPipe
{
    /// <summary>How often a message is sent again that was sent in part when its connection ended.</summary>
    internal const int MaxRetries = 3;

    // How often in a row the oldest message was sent in part.
    private int _interruptions;

    /// <summary>
    /// Drops the oldest message if it was interrupted too often, and returns its size; otherwise 0. Called when the
    /// backlog contains the unsent messages of a closed connection.
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
