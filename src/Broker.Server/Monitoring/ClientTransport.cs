namespace Broker.Server.Monitoring;

/// <summary>How a client's bytes come to the server.</summary>
public enum ClientTransport
{
    /// <summary>A TCP or Unix socket.</summary>
    Socket,

    /// <summary>A link within this process.</summary>
    InProcess,

    /// <summary>The frames of a WebSocket.</summary>
    WebSocket,

    /// <summary>
    /// A stream of bytes that somebody else has accepted, such as a connection of Kestrel's. TLS is that one's matter: the server speaks none with it.
    /// </summary>
    Stream,
}
