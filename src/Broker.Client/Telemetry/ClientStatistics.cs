namespace Broker.Client;

/// <summary>The counters of a connection, over all servers. They are read at about the same moment.</summary>
public readonly record struct ClientStatistics
{
    /// <summary>
    /// The number of messages that were delivered to subscriptions. It is updated at the end of a read and before the
    /// answer to a PING.
    /// </summary>
    public long MessagesIn { get; init; }

    /// <summary>The size of the received messages: headers and bodies, in bytes.</summary>
    public long BytesIn { get; init; }

    /// <summary>
    /// The number of messages that were accepted for sending, including messages that are buffered while no server is
    /// connected.
    /// </summary>
    public long MessagesOut { get; init; }

    /// <summary>The size of the accepted messages: headers and bodies, in bytes.</summary>
    public long BytesOut { get; init; }

    /// <summary>The number of times that the connection has reconnected after a loss.</summary>
    public long Reconnects { get; init; }

    /// <summary>
    /// The number of messages that were discarded without a server, because of
    /// <see cref="PublishWhileDisconnected.Drop"/> or because the buffer was never sent.
    /// </summary>
    public long Dropped { get; init; }

    /// <summary>
    /// The number of accepted messages that were certainly not sent. They were waiting for a server when the server was
    /// lost, they were buffered for a server that did not come (<see cref="Dropped"/> counts these too), or they were
    /// requests that were cancelled before a server came. They are not sent again.
    /// </summary>
    public long Lost { get; init; }

    /// <summary>
    /// The number of messages that may or may not have arrived: they were sent to a server, but the server was lost, or
    /// the connection closed, before the server answered a later PING. Every other accepted message is counted in
    /// <see cref="Lost"/>, has been processed by the server, or is on its way.
    /// <see cref="BrokerConnection.FlushAsync"/> before a close leaves no unconfirmed message.
    /// </summary>
    public long Unconfirmed { get; init; }

    /// <summary>
    /// The number of protocol bytes that were queued but not sent when a server was lost. They are not sent again.
    /// </summary>
    public long LostBytes { get; init; }

    /// <summary>The number of protocol bytes that wait to be sent, or that are buffered for the next server.</summary>
    public long PendingBytes { get; init; }

    /// <summary>The number of exceptions that message handlers and callbacks have thrown.</summary>
    public long Faults { get; init; }
}
