namespace Broker.Server;

/// <summary>
/// The counters of a server. They are read one after another while the loops run, so they may belong to slightly
/// different moments.
/// </summary>
/// <param name="Connections">The number of connected clients, including in-process clients.</param>
/// <param name="TotalConnections">The number of clients that have connected since the start.</param>
/// <param name="Subscriptions">The current number of subscriptions.</param>
/// <param name="MessagesIn">The number of messages that clients published.</param>
/// <param name="BytesIn">The number of bytes of complete operations that clients sent.</param>
/// <param name="MessagesOut">The number of deliveries: a message with three subscribers counts three times.</param>
/// <param name="BytesOut">The number of bytes of all deliveries, including control lines and headers.</param>
/// <param name="SlowConsumers">The number of clients that were closed as slow consumers.</param>
/// <param name="Dropped">
/// The number of messages that were dropped for slow clients; see <see cref="SlowConsumerPolicy"/>.
/// </param>
/// <param name="Stalls">
/// How often the server slowed down clients that published faster than a subscriber read; see
/// <see cref="BrokerServerOptions.StallFastPublishers"/>.
/// </param>
public readonly record struct ServerSnapshot(
    int Connections,
    long TotalConnections,
    int Subscriptions,
    long MessagesIn,
    long BytesIn,
    long MessagesOut,
    long BytesOut,
    long SlowConsumers,
    long Dropped,
    long Stalls);
