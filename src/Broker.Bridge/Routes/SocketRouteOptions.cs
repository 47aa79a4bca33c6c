using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.Routes;

/// <summary>What routes with one ZeroMQ socket have in common.</summary>
public abstract record SocketRouteOptions : RouteOptions
{
    // What a peer may send in commands, besides its messages.
    private const int MostCommandBytes = 64 * 1024;

    /// <summary>Where the ZeroMQ programs are. None by default.</summary>
    public IReadOnlyList<BridgeEndpoint> Endpoints { get; init; } = [];

    /// <summary>The largest ZeroMQ message, all frames together, in bytes; who announces more is closed. Default 1 MiB.</summary>
    public int MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>Most frames of a ZeroMQ message; who sends more is closed. Default 1,024.</summary>
    public int MaxFrames { get; init; } = 1024;

    /// <summary>How many ZeroMQ peers there may be at a time. Default 1,024.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>How many messages may wait for one ZeroMQ peer before it is full. Default 1,000, as in libzmq.</summary>
    public int SendHighWaterMark { get; init; } = 1000;

    /// <summary>
    /// How often a peer of ZMTP 3.1 is asked whether it is there; <see cref="Timeout.InfiniteTimeSpan"/> for never. One that says nothing for
    /// as long is given up. Default 15 s.
    /// </summary>
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(15);

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Endpoints);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessageSize, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFrames, 1);
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

    /// <summary>A socket's options, with what stands here.</summary>
    internal T Apply<T>(T options, RouteLog log)
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
        });
}
