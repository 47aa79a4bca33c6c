using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>The options that routes with one ZeroMQ socket have in common.</summary>
public abstract record SocketRouteOptions : RouteOptions
{
    // How many bytes a peer may send in ZMTP commands, in addition to its messages.
    private const int MostCommandBytes = 64 * 1024;

    /// <summary>The endpoints of the ZeroMQ programs. Default: none.</summary>
    public IReadOnlyList<BridgeEndpoint> Endpoints { get; init; } = [];

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

    /// <summary>The largest number of ZeroMQ peers that may be connected at the same time. Default 1,024.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>How many messages may be queued for one ZeroMQ peer. Default 1,000, as in libzmq.</summary>
    public int SendHighWaterMark { get; init; } = 1000;

    /// <summary>
    /// The interval between PINGs to a peer that speaks ZMTP 3.1; <see cref="Timeout.InfiniteTimeSpan"/> for none. A
    /// peer that sends nothing for one interval after a PING is disconnected. Default 15 s.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(15);

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Endpoints);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessageSize, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFrames, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxFrames, ushort.MaxValue);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPeers, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(SendHighWaterMark, 1);
        ValidateHeartbeat(HeartbeatInterval);
        foreach (BridgeEndpoint endpoint in Endpoints)
        {
            endpoint.Validate();
        }
    }

    /// <exception cref="ArgumentOutOfRangeException">The interval is neither positive nor infinite.</exception>
    internal static void ValidateHeartbeat(TimeSpan interval)
    {
        if (interval != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(interval, TimeSpan.Zero, nameof(HeartbeatInterval));
        }
    }

    /// <summary>Copies these options to the options of a socket.</summary>
    internal T Apply<T>(T options, RouteLog log, RouteContext context)
        where T : LoopMessageOptions
        => (T)((LoopMessageOptions)options with
        {
            MaxPeers = MaxPeers,
            Limits = new ZmtpLimits(MaxMessageSize, MaxMessageSize, MaxFrames, MostCommandBytes),
            SendHighWaterMark = SendHighWaterMark,
            HeartbeatInterval = HeartbeatInterval,
            Security = Security,
            Authenticate = Authenticate,
            OnEvent = log.ZeroMq,
            Inproc = context.Inproc,
        });
}
