using System.Net;
using Broker.Server;

namespace Broker.Leaf;

/// <summary>How other servers, nats-servers or brokers, join this server as leaf nodes.</summary>
public sealed record LeafListenOptions
{
    /// <summary>The default port of leaf nodes.</summary>
    public const int DefaultPort = LeafAddress.DefaultPort;

    /// <summary>
    /// The address to listen on. Port 0 takes a free port. Default: port 7422 of all IPv4 addresses of this machine.
    /// </summary>
    public IPEndPoint EndPoint { get; init; } = new(IPAddress.Any, DefaultPort);

    /// <summary>
    /// The users that leaf nodes can be, each with its account; the users of clients are refused then. Empty, the
    /// default: leaf nodes are users of the server (<see cref="BrokerServerOptions.Users"/> and those of the accounts).
    /// Without users, every server may join.
    /// </summary>
    public IReadOnlyList<PeerUser> Users { get; init; } = [];

    /// <summary>
    /// The TLS options; null, the default, for no TLS. <see cref="ServerTlsOptions.AllowNonTls"/> and
    /// <see cref="ServerTlsOptions.MapUsers"/> must be false. The files are read at the start and at each change.
    /// </summary>
    public ServerTlsOptions? Tls { get; init; }

    /// <summary>
    /// The time from the connection, or from the end of the TLS handshake, to a CONNECT. Two seconds by default.
    /// </summary>
    public TimeSpan AuthTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The address that the server sends to leaf nodes, as a host and a port. They use it after a loss of the
    /// connection. Null, the default: they use the addresses that they know.
    /// </summary>
    public string? Advertise { get; init; }

    /// <summary>
    /// The largest number of connections, those before CONNECT included; 1,000 by default. More are refused.
    /// </summary>
    public int MaxConnections { get; init; } = 1000;

    /// <summary>
    /// The largest number of bytes that wait for one leaf node, 64 MiB by default. Further messages for it are lost and
    /// counted. Publishers never wait for a link.
    /// </summary>
    public long MaxPendingBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// The largest number of subscriptions that one leaf node may announce, one million by default. A leaf node with
    /// more subscriptions is disconnected.
    /// </summary>
    public int MaxInterest { get; init; } = 1_000_000;

    /// <summary>Whether all options are equal. Users are compared by reference.</summary>
    public bool Equals(LeafListenOptions? other)
        => other is not null
            && EndPoint.Equals(other.EndPoint)
            && Users.SequenceEqual(other.Users)
            && Equals(Tls, other.Tls)
            && string.Equals(Advertise, other.Advertise, StringComparison.Ordinal)
            && (AuthTimeout, MaxConnections, MaxPendingBytes, MaxInterest) == (other.AuthTimeout, other.MaxConnections, other.MaxPendingBytes, other.MaxInterest);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(EndPoint, Users.Count, MaxPendingBytes);
}
