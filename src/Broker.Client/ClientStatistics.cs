namespace Broker.Client;

/// <summary>What a connection has done so far, over all servers. The numbers are of about the same moment.</summary>
public readonly record struct ClientStatistics
{
    /// <summary>Messages delivered to subscriptions, counted at the end of a read and before the answer to a PING.</summary>
    public long MessagesIn { get; init; }

    /// <summary>Their headers and bodies, in bytes.</summary>
    public long BytesIn { get; init; }

    /// <summary>Messages accepted for sending, those kept while disconnected included.</summary>
    public long MessagesOut { get; init; }

    /// <summary>Their headers and bodies, in bytes.</summary>
    public long BytesOut { get; init; }

    /// <summary>How often a server was found again after a loss.</summary>
    public long Reconnects { get; init; }

    /// <summary>Messages thrown away while disconnected, by <see cref="Publishing.PublishWhileDisconnected.Drop"/> or with a buffer that was never sent.</summary>
    public long Dropped { get; init; }

    /// <summary>Bytes of the wire that had been queued and not sent when a server was lost. They are not sent again.</summary>
    public long LostBytes { get; init; }

    /// <summary>Bytes of the wire that wait to be sent, or for a server.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Exceptions out of message handlers and callbacks.</summary>
    public long Faults { get; init; }
}
