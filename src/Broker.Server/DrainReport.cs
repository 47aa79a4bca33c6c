namespace Broker.Server;

/// <summary>What a server could not deliver before its deadline.</summary>
/// <param name="Messages">Messages that were queued for clients that did not take them, in whole or in part.</param>
/// <param name="Bytes">The bytes of what was queued.</param>
/// <param name="Connections">How many clients these were for.</param>
public readonly record struct DrainReport(long Messages, long Bytes, int Connections)
{
    /// <summary>Whether everything was delivered.</summary>
    public bool IsComplete => Bytes == 0;
}
