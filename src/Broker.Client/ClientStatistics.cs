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

    /// <summary>
    /// Messages that were accepted and certainly not sent: they waited for a server when it was lost, or were kept for one that did
    /// not come (these are in <see cref="Dropped"/> too), or were requests that were given up before it came. They are not sent again.
    /// </summary>
    public long Lost { get; init; }

    /// <summary>
    /// Messages that were sent to servers that were lost, or left, before they answered a PING behind them: these may have arrived.
    /// All other accepted messages are in <see cref="Lost"/>, or the server has dealt with them, or they are on their way.
    /// <see cref="BrokerConnection.FlushAsync"/> before a close leaves none.
    /// </summary>
    public long Unconfirmed { get; init; }

    /// <summary>Bytes of the wire that had been queued and not sent when a server was lost. They are not sent again.</summary>
    public long LostBytes { get; init; }

    /// <summary>Bytes of the wire that wait to be sent, or for a server.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Exceptions out of message handlers and callbacks.</summary>
    public long Faults { get; init; }
}
