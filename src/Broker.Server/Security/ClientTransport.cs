namespace Broker.Server;

/// <summary>The kinds of transport between a client and the server.</summary>
public enum ClientTransport
{
    /// <summary>A TCP or Unix socket.</summary>
    Socket,

    /// <summary>A link within the process.</summary>
    InProcess,

    /// <summary>A WebSocket.</summary>
    WebSocket,

    /// <summary>
    /// A byte stream that another component has accepted, such as a connection of Kestrel. The other component is
    /// responsible for TLS; the server does not use TLS on such a stream.
    /// </summary>
    Stream,

    /// <summary>A connection of another server that joins this server as a leaf node.</summary>
    LeafNode,
}
