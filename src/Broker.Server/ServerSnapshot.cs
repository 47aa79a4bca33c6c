namespace Broker.Server;

/// <summary>What a server has done and holds, at a moment. Counters are read one by one while the loops go on.</summary>
/// <param name="Connections">Clients connected now, in-process ones included.</param>
/// <param name="TotalConnections">Clients that ever connected.</param>
/// <param name="Subscriptions">Subscriptions now.</param>
/// <param name="MessagesIn">Messages that clients published.</param>
/// <param name="BytesIn">Bytes of whole operations that clients sent.</param>
/// <param name="MessagesOut">Deliveries: a message with three subscribers counts three times.</param>
/// <param name="BytesOut">Bytes of these deliveries, lines and headers included.</param>
/// <param name="SlowConsumers">Clients that were closed because they did not take what was for them.</param>
/// <param name="Dropped">Messages that slow clients lost; see <see cref="SlowConsumerPolicy"/>.</param>
public readonly record struct ServerSnapshot(
    int Connections,
    long TotalConnections,
    int Subscriptions,
    long MessagesIn,
    long BytesIn,
    long MessagesOut,
    long BytesOut,
    long SlowConsumers,
    long Dropped);
