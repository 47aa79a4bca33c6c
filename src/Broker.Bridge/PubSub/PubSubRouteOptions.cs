using Broker.Bridge.Mapping;
using Broker.Bridge.Routes;

namespace Broker.Bridge.PubSub;

/// <summary>
/// PUB and SUB programs: what PUBs send is published under a prefix, and SUBs get what is published there, by whomever. Delivery is that of
/// PUB/SUB on both sides, at most once: a slow SUB loses whole messages and holds nobody up; without a NATS server what PUBs send is dropped. Both
/// are counted.
/// </summary>
public sealed record PubSubRouteOptions : RouteOptions
{
    /// <summary>The port that ZeroMQ publishers connect to by default.</summary>
    public const int DefaultPublishersPort = 5556;

    /// <summary>The port that ZeroMQ subscribers connect to by default.</summary>
    public const int DefaultSubscribersPort = 5557;

    /// <summary>Where the PUB sockets are whose messages become NATS messages.</summary>
    public IReadOnlyList<BridgeEndpoint> Publishers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultPublishersPort}")];

    /// <summary>Where the SUB sockets are that get NATS messages.</summary>
    public IReadOnlyList<BridgeEndpoint> Subscribers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultSubscribersPort}")];

    /// <summary>
    /// What is asked of the publishers: prefixes of topics. The default, one empty prefix, asks for everything.
    /// </summary>
    public IReadOnlyList<byte[]> Topics { get; init; } = [[]];

    /// <summary>Topics to subjects and back. Where the server's payload limit is lower than this one, that one holds. Every bridge needs an id
    /// of its own.</summary>
    public MappingOptions Mapping { get; init; } = new() { BridgeId = MappingOptions.NewId() };

    /// <summary>How much memory what waits for one SUB may take, in bytes; above it that one loses whole messages. Default 16 MiB.</summary>
    public long HighWaterMark { get; init; } = 16 * 1024 * 1024;

    /// <summary>The largest ZeroMQ message, all frames together, in bytes; who announces more is closed. Default 1 MiB.</summary>
    public int MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>How many ZeroMQ peers each side takes at a time. Default 1,024.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>
    /// How often a peer of ZMTP 3.1 is asked whether it is there; <see cref="Timeout.InfiniteTimeSpan"/> for never. One that says nothing for
    /// as long is given up. Default 15 s.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>How many different prefixes one SUB may ask for. Default 65,536, in at most 4 MiB.</summary>
    public int MaxPrefixes { get; init; } = 65_536;

    /// <summary>
    /// How much memory the prefixes of all SUBs may take, in bytes, 500 for each and its own twice. Each of <see cref="MaxPeers"/>
    /// is sure of an even part of one half; the other half is for those who ask first. Who exceeds both is closed. Default 128 MiB.
    /// </summary>
    public long MaxPrefixMemory { get; init; } = 128L * 1024 * 1024;

    /// <summary>
    /// For how many different prefixes the bridge subscribes to just what they need. When all SUBs together ask for more it
    /// subscribes to everything under its subject prefix, until half of them are left. Default 32,768.
    /// </summary>
    public int MaxFilters { get; init; } = 32_768;

    /// <summary>
    /// Take another bridge as a ZeroMQ peer. Two bridges on one NATS system that are also joined by ZeroMQ pass every message
    /// round and round, so by default they refuse each other. Turn it on where they are on different NATS systems.
    /// </summary>
    public bool AcceptBridges { get; init; }

    /// <summary>
    /// Keeps the last message of each topic and sends a SUB that subscribes those that begin with its prefix, before what comes next. The route
    /// then subscribes to everything under its subject prefix, whatever SUBs ask for. Default null: a SUB that comes late loses what was before.
    /// </summary>
    public LastValueOptions? LastValues { get; init; }

    /// <summary>
    /// Carries the context of traces across, as a last frame: the header <c>traceparent</c> of a message from NATS goes to SUBs behind the frames of the
    /// message, and of one from ZeroMQ with three frames or more the last, if it is such a context, becomes the header and is none of its frames. For SUBs
    /// that expect the frame, or another bridge. Default false: a trace ends here.
    /// </summary>
    public bool TraceFrame { get; init; }

    /// <inheritdoc/>
    public override string Pattern => "pubsub";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Publishers);
        ArgumentNullException.ThrowIfNull(Subscribers);
        ArgumentNullException.ThrowIfNull(Topics);
        ArgumentOutOfRangeException.ThrowIfLessThan(HighWaterMark, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessageSize, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPeers, 1);
        SocketRouteOptions.ValidateHeartbeat(HeartbeatInterval);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPrefixes, 0);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPrefixMemory, 0);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFilters, 0);
        LastValues?.Validate();
        _ = new MessageMapper(Mapping);
        foreach (BridgeEndpoint endpoint in Publishers.Concat(Subscribers))
        {
            endpoint.Validate();
        }
    }

    internal override BridgeRoute Create(RouteContext context) => new PubSubRoute(this, context);
}
