using System.Text;

namespace Broker.Bridge;

/// <summary>
/// The options of a route for PUSH and PULL programs. A pipeline is a subject. PUSH programs at any number of bridges
/// push to it, and PULL programs at any number of bridges pull from it. No message is dropped while both ends run: if
/// PULL programs take no messages, PUSH programs block at their high-water marks, as with direct peers.
/// docs/push-pull.md describes what happens after failures, and how native clients take part.
/// </summary>
/// <example><code>
/// // PUSH programs connect to port 5558. The messages go to PULL programs at this and at other bridges.
/// var route = new PushPullRouteOptions { Subject = "jobs", Pushers = [new(Bind: true, "tcp://0.0.0.0:5558")] };
/// </code></example>
public sealed record PushPullRouteOptions : RouteOptions
{
    private const int LongestSubject = 512;

    /// <summary>The default port for PUSH programs.</summary>
    public const int DefaultPushersPort = 5558;

    /// <summary>The default port for PULL programs.</summary>
    public const int DefaultPullersPort = 5559;

    /// <summary>
    /// The subject of the pipeline, without wildcards, such as <c>work.orders</c>. All bridges with this subject share
    /// the pipeline.
    /// </summary>
    public required string Subject { get; init; }

    /// <summary>
    /// The endpoints of the PUSH programs. Empty for a route that only sends messages to PULL programs.
    /// </summary>
    public IReadOnlyList<BridgeEndpoint> Pushers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultPushersPort}")];

    /// <summary>
    /// The endpoints of the PULL programs. Empty for a route that only takes messages from PUSH programs.
    /// </summary>
    public IReadOnlyList<BridgeEndpoint> Pullers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultPullersPort}")];

    /// <summary>
    /// How many messages of one ingress may be on their way to one egress or queued there. The ingress keeps this many
    /// for each egress. Default 4,096.
    /// </summary>
    public int Window { get; init; } = 4096;

    /// <summary>
    /// The limit in bytes for the messages of <see cref="Window"/>. A single message may exceed it. Default 4 MiB.
    /// </summary>
    public long WindowBytes { get; init; } = 4 << 20;

    /// <summary>
    /// How many bytes the ingress keeps for all its egresses together, and how many the egress queues for its PULL
    /// programs. Each partner may use an equal share, at most <see cref="WindowBytes"/>; a single message may exceed
    /// the share. PUSH programs wait while all bytes are used up. Default 64 MiB.
    /// </summary>
    public long MaxQueuedBytes { get; init; } = 64 << 20;

    /// <summary>
    /// Whether all messages of one PUSH connection go to one egress, in order, as long as this egress is connected.
    /// Default false: each message goes to the next egress in turn that has capacity. If an egress has several PULL
    /// programs, its PUSH socket always distributes the messages among these programs.
    /// </summary>
    public bool KeepOrder { get; init; }

    /// <summary>
    /// The size limit of a ZeroMQ message, all frames together, in bytes. A peer that announces more is disconnected.
    /// Default 1 MiB.
    /// </summary>
    public int MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>
    /// The largest number of frames in a ZeroMQ message. A peer that sends more is disconnected. Default 65,535, the
    /// largest number that a header can state. With the default, <see cref="MaxMessageSize"/> is the effective limit.
    /// </summary>
    public int MaxFrames { get; init; } = ushort.MaxValue;

    /// <summary>The largest number of ZeroMQ programs on each side at the same time. Default 1,024.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>How many messages may be queued for one PULL program, like ZMQ_SNDHWM. Default 1,000.</summary>
    public int HighWaterMark { get; init; } = 1000;

    /// <summary>How many bytes of messages may be queued for one PULL program. Default 16 MiB.</summary>
    public long HighWaterBytes { get; init; } = 16 << 20;

    /// <summary>
    /// The interval between PINGs to a program that speaks ZMTP 3.1. A program that sends nothing for one interval
    /// after a PING is disconnected, unless data for it still waits to be sent; its queued messages go to other
    /// programs. A libzmq program that reads nothing does not answer PINGs either. Default
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no PINGs, as in libzmq: then only TCP detects lost programs.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long an egress may be silent before other egresses receive the messages that it has not acknowledged. An
    /// egress announces itself each second. Whole seconds, at least 2. Default 10 s.
    /// </summary>
    public TimeSpan PeerTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a closing route waits until accepted messages are acknowledged. Default 5 s.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Sends messages through a JetStream stream instead of directly to other bridges. Then no message that the stream
    /// has acknowledged is lost, whichever process restarts. Default null: messages go from bridge to bridge.
    /// </summary>
    public StreamQueueOptions? Stream { get; init; }

    /// <summary>
    /// Whether the PULL programs only receive copies of the messages of the pipeline, without taking part in it. No
    /// other program waits for them, and a copy that they have no space for is dropped and counted. If a message is
    /// sent again after a loss, it is copied again. Such a route has no PUSH programs and no stream. Default false.
    /// </summary>
    public bool Shadow { get; init; }

    /// <summary>
    /// Whether the bridge reserves the internal subjects of the pipeline in the server of this process. This needs a
    /// connection through the server's dialer (<c>BrokerServer.CreateDialer</c>). Other clients of the server can then
    /// use these subjects only if their permissions allow the subjects by name. Set this option to false in all routes
    /// of the pipeline if native clients or bridges of other processes take part without such permissions. The option
    /// has no effect with a stream, which needs no internal subjects. Default true.
    /// </summary>
    public bool ReserveSubjects { get; init; } = true;

    /// <inheritdoc/>
    public override string Pattern => "pushpull";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Subject);
        ArgumentNullException.ThrowIfNull(Pushers);
        ArgumentNullException.ThrowIfNull(Pullers);
        if (!Broker.Protocol.Subject.IsValidLiteral(Encoding.UTF8.GetBytes(Subject)) || Subject.Length > LongestSubject
            || !Ascii.IsValid(Subject))
        {
            throw new ArgumentException(
                $"'{Subject}' is not a valid subject of a pipeline: it must have non-empty ASCII tokens separated "
                + $"by dots, no wildcards, and at most {LongestSubject} characters.",
                nameof(Subject));
        }

        if (Pushers.Count + Pullers.Count == 0)
        {
            throw new ArgumentException(
                "A PUSH/PULL route requires an endpoint for PUSH or for PULL programs.", nameof(Pushers));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(Window, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Window, 1 << 20);
        ArgumentOutOfRangeException.ThrowIfLessThan(WindowBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxQueuedBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessageSize, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFrames, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxFrames, ushort.MaxValue);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPeers, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(HighWaterMark, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(HighWaterBytes, 1);
        SocketRouteOptions.ValidateHeartbeat(HeartbeatInterval);
        ArgumentOutOfRangeException.ThrowIfLessThan(PeerTimeout, TimeSpan.FromSeconds(2));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(PeerTimeout, TimeSpan.FromDays(1));
        StreamQueueOptions.RequireSeconds(PeerTimeout, nameof(PeerTimeout));
        ArgumentOutOfRangeException.ThrowIfLessThan(StopTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(StopTimeout, TimeSpan.FromDays(1));
        foreach (BridgeEndpoint endpoint in Pushers.Concat(Pullers))
        {
            endpoint.Validate();
        }

        if (Stream is not null && KeepOrder)
        {
            throw new ArgumentException(
                "KeepOrder must be false for a route with a stream: a stream keeps its own order.", nameof(KeepOrder));
        }

        if (Shadow && (Stream is not null || Pushers.Count > 0))
        {
            throw new ArgumentException("A shadow route must have no PUSH programs and no stream.", nameof(Shadow));
        }

        Stream?.Validate();
    }

    internal override IReadOnlyList<string> Subjects => [Stream is null ? Subject : $"{Subject} (stream {Stream.Stream})"];

    internal override IReadOnlyList<string> ReservedSubjects
        => ReserveSubjects && Stream is null ? new PipelineSubjects(Subject).Internal : [];

    internal override BridgeRoute Create(RouteContext context)
        => Stream is null ? new PushPullRoute(this, context) : new StreamRoute(this, context);
}
