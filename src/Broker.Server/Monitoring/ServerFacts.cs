using System.Net;

namespace Broker.Server.Monitoring;

/// <summary>What a server is, how it is set up, and what it has done, at a moment. Immutable.</summary>
public sealed record ServerFacts
{
    /// <summary>The id in INFO.</summary>
    public required string Id { get; init; }

    /// <summary>The name in INFO.</summary>
    public required string Name { get; init; }

    /// <summary>The version in INFO: that of the nats-server whose client protocol is spoken.</summary>
    public required string ProtocolVersion { get; init; }

    /// <summary>The first address that is listened on; null when there is none.</summary>
    public EndPoint? EndPoint { get; init; }

    /// <summary>Whether it is on its way out: who connects now is not served.</summary>
    public bool IsLeaving { get; init; }

    /// <summary>The name of the account that its own events are published in.</summary>
    public string SystemAccount { get; init; } = AccountNames.System;

    /// <summary>When it started; UTC.</summary>
    public required DateTime Started { get; init; }

    /// <summary>The moment of these facts; UTC.</summary>
    public required DateTime Now { get; init; }

    /// <summary>Bytes of memory that the process has in use (its working set).</summary>
    public long MemoryBytes { get; init; }

    /// <summary>How many processors the process may use.</summary>
    public int Cores { get; init; }

    /// <summary>How many event loops it runs on.</summary>
    public int Loops { get; init; }

    /// <summary>The process's use of processors since it was last asked, in percent of one.</summary>
    public double CpuPercent { get; init; }

    /// <summary>Counters. Their bytes are those of whole operations; see <see cref="PayloadBytesIn"/>.</summary>
    public ServerSnapshot Counters { get; init; }

    /// <summary>Connections that were closed at once for want of file descriptors, whichever listener of the server's loops they came by.</summary>
    public long RefusedConnections { get; init; }

    /// <summary>Bytes of the payloads that clients published, headers included.</summary>
    public long PayloadBytesIn { get; init; }

    /// <summary>Bytes of the payloads that clients were sent: one with three receivers counts three times.</summary>
    public long PayloadBytesOut { get; init; }

    /// <summary>What the router holds.</summary>
    public required RoutingFacts Routing { get; init; }

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

    /// <summary>Whether clients must show who they are.</summary>
    public bool IsAuthRequired { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.AuthTimeout"/>
    public TimeSpan AuthTimeout { get; init; }

    /// <summary>Whether clients that come by sockets must speak TLS.</summary>
    public bool IsTlsRequired { get; init; }

    /// <summary>Whether they must show a certificate when they do.</summary>
    public bool IsTlsVerified { get; init; }

    /// <inheritdoc cref="Tls.ServerTlsOptions.Timeout"/>
    public TimeSpan TlsTimeout { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.PingInterval"/>
    public TimeSpan PingInterval { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.PingMax"/>
    public int PingMax { get; init; }

    /// <inheritdoc cref="BrokerServerOptions.WriteDeadline"/>
    public TimeSpan WriteDeadline { get; init; }
}
