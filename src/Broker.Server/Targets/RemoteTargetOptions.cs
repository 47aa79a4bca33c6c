using Broker.Transport;

namespace Broker.Server;

/// <summary>The options of a <see cref="RemoteTarget"/>.</summary>
public sealed record RemoteTargetOptions
{
    /// <summary>The account in which the target takes part; null, the default, for the global account.</summary>
    public string? Account { get; init; }

    /// <summary>
    /// The loop of the target. It must be one of <see cref="BrokerServer.Loops"/>. Null, the default: the server
    /// chooses a loop.
    /// </summary>
    public EventLoop? Loop { get; init; }

    /// <summary>
    /// Whether the peer has joined this server. Messages and interest pass between such a peer and all other peers of
    /// the account. Default: false. Two peers that this server has joined exchange nothing through this server.
    /// </summary>
    public bool HasJoined { get; init; }

    /// <summary>
    /// The name of the peer's cluster. Peers of one cluster exchange nothing through this server, because they are
    /// connected with each other. Null, the default: the peer is in no cluster.
    /// </summary>
    public string? Cluster { get; init; }
}
