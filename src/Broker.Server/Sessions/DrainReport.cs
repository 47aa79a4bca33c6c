namespace Broker.Server;

/// <summary>The messages that a server could not deliver before the timeout of a drain.</summary>
/// <param name="Messages">The number of messages that were still queued, completely or in part.</param>
/// <param name="Bytes">The number of bytes that were still queued.</param>
/// <param name="Connections">The number of clients that the messages were queued for.</param>
public readonly record struct DrainReport(long Messages, long Bytes, int Connections)
{
    /// <summary>Whether everything was delivered.</summary>
    public bool IsComplete => Bytes == 0;
}
