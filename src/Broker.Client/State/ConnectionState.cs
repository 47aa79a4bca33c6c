namespace Broker.Client;

/// <summary>The state of a <see cref="BrokerConnection"/>.</summary>
public enum ConnectionState
{
    /// <summary>The connection has not reached its first server yet.</summary>
    Connecting,

    /// <summary>A server is connected.</summary>
    Connected,

    /// <summary>The server was lost, and the connection tries to reach it or another server.</summary>
    Reconnecting,

    /// <summary>The connection is closed or is closing. It accepts no more messages.</summary>
    Closed,
}
