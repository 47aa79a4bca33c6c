namespace Broker.Client;

/// <summary>Where a <see cref="BrokerConnection"/> is in its life.</summary>
public enum ConnectionState
{
    /// <summary>The first server has not answered yet.</summary>
    Connecting,

    /// <summary>Messages flow.</summary>
    Connected,

    /// <summary>The server was lost and another is sought.</summary>
    Reconnecting,

    /// <summary>Over, or about to be: nothing is accepted any more.</summary>
    Closed,
}
