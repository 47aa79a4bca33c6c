using System.Text;
using Broker.Bridge.JetStream;
using Broker.Bridge.Routes;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// PUSH and PULL programs: a pipeline is a subject, into which any number of PUSHs push at any number of bridges, and from which PULLs
/// take in the same way. Nothing is dropped while both ends live: when PULLs take nothing, PUSHs block at their high-water marks, as with
/// direct peers. docs/push-pull.md says what holds when something dies, and how native clients take part.
/// </summary>
public sealed record PushPullRouteOptions : RouteOptions
{
    private const int LongestSubject = 512;

    /// <summary>The port that PUSH programs connect to by default.</summary>
    public const int DefaultPushersPort = 5558;

    /// <summary>The port that PULL programs connect to by default.</summary>
    public const int DefaultPullersPort = 5559;

    /// <summary>The pipeline: a literal subject, such as <c>work.orders</c>. All bridges with this subject share it.</summary>
    public required string Subject { get; init; }

    /// <summary>Where the PUSH programs are whose messages enter here. Empty for a route that only takes messages out.</summary>
    public IReadOnlyList<BridgeEndpoint> Pushers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultPushersPort}")];

    /// <summary>Where the PULL programs are that get messages here. Empty for a route that only brings messages in.</summary>
    public IReadOnlyList<BridgeEndpoint> Pullers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultPullersPort}")];

    /// <summary>
    /// How many messages of one ingress may be on their way to one egress and wait there. Each ingress keeps that many for each egress. Default 4,096.
    /// </summary>
    public int Window { get; init; } = 4096;

    /// <summary>The same in bytes; a larger message passes alone. Default 4 MiB.</summary>
    public long WindowBytes { get; init; } = 4 << 20;

    /// <summary>
    /// Whether all that one PUSH connection sends goes to one egress, in order, as long as that is there. Default false: each message goes to
    /// the next in turn that has room. Where an egress has several PULLs, PUSH spreads its messages over them in any case.
    /// </summary>
    public bool KeepOrder { get; init; }

    /// <summary>The largest ZeroMQ message, all frames together, in bytes; who announces more is closed. Default 1 MiB.</summary>
    public int MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>How many ZeroMQ programs each side takes at a time. Default 1,024.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>How many messages may wait for one PULL, as ZMQ_SNDHWM. Default 1,000.</summary>
    public int HighWaterMark { get; init; } = 1000;

    /// <summary>How much memory what waits for one PULL may take, in bytes. Default 16 MiB.</summary>
    public long HighWaterBytes { get; init; } = 16 << 20;

    /// <summary>
    /// How often a program of ZMTP 3.1 is asked whether it is there. One that says nothing for as long is given up, and a program of libzmq that
    /// takes no messages does not answer either: its messages that wait here are then given to others. Default
    /// <see cref="Timeout.InfiniteTimeSpan"/>: never, as in libzmq; who is gone is found by TCP.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long an egress may be silent, which announces itself each second, before others get what it has not acknowledged. Whole seconds, at least
    /// 2. Default 10 s.
    /// </summary>
    public TimeSpan PeerTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long stopping waits for what was accepted to be acknowledged. Default 5 s.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Hands messages to a stream of JetStream instead, from which other bridges take them: then nothing that the stream has acknowledged is
    /// lost, whoever restarts. Default null: from bridge to bridge.
    /// </summary>
    public StreamQueueOptions? Stream { get; init; }

    /// <summary>
    /// Whether the PULL programs only get copies of what the pipeline's others get, without taking part: nobody waits for them, and what they
    /// have no room for is dropped and counted. A message that is sent again after a loss is copied again. It has no PUSH programs, and no
    /// stream. Default false.
    /// </summary>
    public bool Shadow { get; init; }

    /// <inheritdoc/>
    public override string Pattern => "pushpull";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Subject);
        ArgumentNullException.ThrowIfNull(Pushers);
        ArgumentNullException.ThrowIfNull(Pullers);
        if (!Broker.Protocol.Subjects.Subject.IsValidLiteral(Encoding.UTF8.GetBytes(Subject)) || Subject.Length > LongestSubject
            || !Ascii.IsValid(Subject))
        {
            throw new ArgumentException(
                $"'{Subject}' is no subject of a pipeline: tokens of ASCII separated by dots, none of them empty, without wildcards, "
                + $"of {LongestSubject} characters at most.",
                nameof(Subject));
        }

        if (Pushers.Count + Pullers.Count == 0)
        {
            throw new ArgumentException("A PUSH/PULL route needs an endpoint for PUSH or for PULL programs.", nameof(Pushers));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(Window, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Window, 1 << 20);
        ArgumentOutOfRangeException.ThrowIfLessThan(WindowBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessageSize, 1);
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
            throw new ArgumentException("A stream keeps its own order; KeepOrder is for pipelines from bridge to bridge.", nameof(KeepOrder));
        }

        if (Shadow && (Stream is not null || Pushers.Count > 0))
        {
            throw new ArgumentException("A shadow of a pipeline has PULL programs only, and no stream.", nameof(Shadow));
        }

        Stream?.Validate();
    }

    internal override BridgeRoute Create(RouteContext context)
        => Shadow ? new ShadowRoute(this, context) : Stream is null ? new PushPullRoute(this, context) : new StreamRoute(this, context);
}
