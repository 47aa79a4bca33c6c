using System.Net;

namespace Broker.Server;

/// <summary>The identity, the configuration and the counters of a server. Immutable.</summary>
public sealed record ServerDescription
{
    /// <summary>The server id in INFO.</summary>
    public required string Id { get; init; }

    /// <summary>The server name in INFO.</summary>
    public required string Name { get; init; }

    /// <summary>The version in INFO: the version of nats-server with the same client protocol.</summary>
    public required string ProtocolVersion { get; init; }

    /// <summary>The version of this software.</summary>
    public required string SoftwareVersion { get; init; }

    /// <summary>The first address that the server listens on; null if the server listens on no address.</summary>
    public EndPoint? EndPoint { get; init; }

    /// <summary>Whether the server is shutting down and refuses new clients.</summary>
    public bool IsShuttingDown { get; init; }

    /// <summary>The name of the account in which the server publishes its own events.</summary>
    public string SystemAccount { get; init; } = AccountNames.System;

    /// <summary>The UTC time when the server started.</summary>
    public required DateTime Started { get; init; }

    /// <summary>
    /// The UTC time when the current options were put into effect: the start, or the last reload that succeeded.
    /// </summary>
    public DateTime OptionsLoaded { get; init; }

    /// <summary>The UTC time when these values were read.</summary>
    public required DateTime Now { get; init; }

    /// <summary>The working set of the process in bytes.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>The number of processors that the process may use.</summary>
    public int Cores { get; init; }

    /// <summary>The number of event loops of the server.</summary>
    public int Loops { get; init; }

    /// <summary>The CPU usage of the process since the last query, in percent of one processor.</summary>
    public double CpuPercent { get; init; }

    /// <summary>
    /// The counters of the server. Its byte counters count whole operations. For payloads only, see
    /// <see cref="PayloadBytesIn"/> and <see cref="PayloadBytesOut"/>.
    /// </summary>
    public ServerSnapshot Counters { get; init; }

    /// <summary>
    /// The number of connections that were closed at once because too few file descriptors were free. The number
    /// includes connections to all listeners that use the server's loops.
    /// </summary>
    public long RefusedConnections { get; init; }

    /// <summary>The number of payload bytes that clients published, including headers.</summary>
    public long PayloadBytesIn { get; init; }

    /// <summary>
    /// The number of payload bytes that were delivered to clients: a payload with three receivers counts three times.
    /// </summary>
    public long PayloadBytesOut { get; init; }

    /// <summary>The counters of the routers of all accounts together.</summary>
    public required RoutingCounters Routing { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.ServerTags"/>
    public IReadOnlyList<string> Tags { get; init; } = [];

    /// <inheritdoc cref="BrokerServerOptions.MaxConnections"/>
    public int MaxConnections { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.MaxPayload"/>
    public int MaxPayload { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.MaxControlLine"/>
    public int MaxControlLine { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.MaxPending"/>
    public long MaxPending { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.MaxSubscriptions"/>
    /// <remarks>This is the limit in effect, which may follow from the size of the heap.</remarks>
    public int MaxSubscriptions { get; init; }

    /// <summary>
    /// The limit on the memory of unfinished received messages (<see cref="Broker.Transport.ReceiveBudget"/>).
    /// </summary>
    public long MaxReceivedBytes { get; init; }

    /// <summary>The memory that unfinished received messages use, in bytes.</summary>
    public long ReceivedBytes { get; init; }

    /// <summary>
    /// The number of connections that the server does not read at present, because the memory for unfinished received
    /// messages is used up.
    /// </summary>
    public int ReceiveWaiting { get; init; }

    /// <summary>
    /// The number of connections that were closed because a message was incomplete for too long while the memory for
    /// unfinished received messages was used up.
    /// </summary>
    public long ReceiveClosed { get; init; }

    /// <summary>Whether clients must authenticate.</summary>
    public bool IsAuthRequired { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.AuthTimeout"/>
    public TimeSpan AuthTimeout { get; init; }

    /// <summary>Whether clients that connect through sockets must use TLS.</summary>
    public bool IsTlsRequired { get; init; }

    /// <summary>Whether clients that use TLS must have a certificate.</summary>
    public bool IsTlsVerified { get; init; }

    /// <inheritdoc cref="ServerTlsOptions.Timeout"/>
    public TimeSpan TlsTimeout { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.PingInterval"/>
    public TimeSpan PingInterval { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.PingMax"/>
    public int PingMax { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.WriteDeadline"/>
    public TimeSpan WriteDeadline { get; init; }

    /// <summary>
    /// The address of the monitoring pages; null without monitoring pages. See <see cref="BrokerServer.DescribeHttp"/>.
    /// </summary>
    public HttpDescription? Http { get; init; }

    /// <summary>The address for servers that join as leaf nodes; null if there is none.</summary>
    public LeafListenerDescription? LeafListener { get; init; }

    /// <summary>The streams of the server; null if it has none.</summary>
    public StreamsDescription? Streams { get; init; }

    /// <summary>The remote servers that the server joins as a leaf node.</summary>
    public IReadOnlyList<LeafNodeDescription> LeafNodes { get; init; } = [];
}
