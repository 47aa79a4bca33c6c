namespace Broker.Bridge;

/// <summary>
/// The options of a route for PUB and SUB programs. It publishes the messages of PUBs under a prefix, and SUBs receive
/// the messages that any client publishes there. As with PUB/SUB on both sides, delivery is at most once. A slow SUB
/// loses whole messages and does not delay other SUBs. While no NATS server is connected, messages of PUBs are dropped.
/// All messages that are lost or dropped in this way are counted.
/// </summary>
/// <example><code>
/// // The topics "weather…" of the publishers of another machine, for SUB programs and for NATS clients.
/// var route = new PubSubRouteOptions
/// {
///     Publishers = [new(Bind: false, "tcp://sensors.example:5556")],
///     Topics = ["weather"u8.ToArray()],
/// };
/// </code></example>
public sealed record PubSubRouteOptions : RouteOptions
{
    /// <summary>The default port for ZeroMQ publishers.</summary>
    public const int DefaultPublishersPort = 5556;

    /// <summary>The default port for ZeroMQ subscribers.</summary>
    public const int DefaultSubscribersPort = 5557;

    /// <summary>The endpoints of the PUB programs. Their messages become NATS messages.</summary>
    public IReadOnlyList<BridgeEndpoint> Publishers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultPublishersPort}")];

    /// <summary>The endpoints of the SUB programs. They receive NATS messages.</summary>
    public IReadOnlyList<BridgeEndpoint> Subscribers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultSubscribersPort}")];

    /// <summary>
    /// The topic prefixes that the route subscribes to at the publishers. Default: one empty prefix, which means all
    /// topics.
    /// </summary>
    public IReadOnlyList<byte[]> Topics { get; init; } = [[]];

    /// <summary>
    /// How topics are converted to subjects and back. If the server's payload limit is lower than the limit here, the
    /// server's limit applies. Every bridge needs its own id.
    /// </summary>
    public MappingOptions Mapping { get; init; } = new() { BridgeId = MappingOptions.NewId() };

    /// <summary>
    /// The limit in bytes for messages queued for one SUB. Above it, messages to this SUB are dropped. Default 16 MiB.
    /// </summary>
    public long HighWaterMark { get; init; } = 16 * 1024 * 1024;

    /// <summary>
    /// The size limit of a ZeroMQ message, all frames together, in bytes. A peer that announces more is disconnected.
    /// Default 1 MiB.
    /// </summary>
    public int MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>The largest number of ZeroMQ peers on each side at the same time. Default 1,024.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>
    /// The interval between PINGs to a peer that speaks ZMTP 3.1; <see cref="Timeout.InfiniteTimeSpan"/> for none. A
    /// peer that sends nothing for one interval after a PING is disconnected. Default 15 s.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How many different prefixes one SUB may subscribe to. All prefixes of a SUB together may have at most 4 MiB.
    /// Default 65,536.
    /// </summary>
    public int MaxPrefixes { get; init; } = 65_536;

    /// <summary>
    /// The memory limit in bytes for the prefixes of all SUBs. A prefix counts as 500 bytes plus twice its length. One
    /// half is reserved in equal shares for <see cref="MaxPeers"/> peers; the other half is available to any peer. A
    /// peer that needs more than its share is disconnected if the other half is used up. Default 128 MiB.
    /// </summary>
    public long MaxPrefixMemory { get; init; } = 128L * 1024 * 1024;

    /// <summary>
    /// The largest number of different prefixes for which the bridge subscribes only to the subjects that the prefixes
    /// need. If all SUBs together have more prefixes, the bridge subscribes to everything under its subject prefix,
    /// until the number has fallen to half. Default 32,768.
    /// </summary>
    public int MaxFilters { get; init; } = 32_768;

    /// <summary>
    /// Whether another bridge may connect as a ZeroMQ peer. If two bridges of one NATS system are also connected
    /// through ZeroMQ, every message goes round in a circle, so bridges refuse each other by default. Set this option
    /// to true if the bridges are on different NATS systems. Default false.
    /// </summary>
    public bool AcceptBridges { get; init; }

    /// <summary>
    /// Whether the route keeps the last message of each topic. A SUB that subscribes to a prefix first receives the
    /// last messages of its topics. The route then subscribes to everything under its subject prefix, independent of
    /// the SUBs. Default null: a late SUB misses earlier messages.
    /// </summary>
    public LastValueOptions? LastValues { get; init; }

    /// <summary>
    /// Whether the route passes the trace context on in an additional last frame. If a message from NATS has the header
    /// <c>traceparent</c>, SUBs receive the value of the header as the last frame. If a message from ZeroMQ has at
    /// least three frames and its last frame is a trace context, this frame becomes the header. Use the option if the
    /// SUBs expect the frame, or with another bridge. Default false: a trace ends at the route.
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

    internal override IReadOnlyList<string> Subjects => [Mapping.Prefix + ".>"];

    internal override BridgeRoute Create(RouteContext context) => new PubSubRoute(this, context);
}
