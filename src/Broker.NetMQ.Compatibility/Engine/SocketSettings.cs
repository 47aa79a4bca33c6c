using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The values of the options of one socket.</summary>
internal sealed class SocketSettings
{
    // The largest message that a peer may send if the program sets no limit. The memory grows with the bytes that have
    // arrived, and not with the size in the header.
    private const int LargestMessage = 1 << 30;

    internal long Affinity { get; set; }

    internal byte[]? Identity { get; set; }

    internal int MulticastRate { get; set; } = 100;

    internal TimeSpan MulticastRecoveryInterval { get; set; } = TimeSpan.FromSeconds(10);

    internal int MulticastHops { get; set; } = 1;

    internal int SendBuffer { get; set; }

    internal int ReceiveBuffer { get; set; }

    internal TimeSpan Linger { get; set; }

    internal TimeSpan ReconnectInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    internal TimeSpan ReconnectIntervalMax { get; set; }

    internal int Backlog { get; set; } = 100;

    internal long MaxMsgSize { get; set; } = -1;

    internal int SendHighWatermark { get; set; } = 1000;

    internal int ReceiveHighWatermark { get; set; } = 1000;

    internal int SendLowWatermark { get; set; }

    internal int ReceiveLowWatermark { get; set; }

    internal bool IPv4Only { get; set; } = true;

    internal bool TcpKeepalive { get; set; }

    internal int TcpKeepaliveCnt { get; set; } = -1;

    internal TimeSpan TcpKeepaliveIdle { get; set; } = TimeSpan.FromMilliseconds(-1);

    internal TimeSpan TcpKeepaliveInterval { get; set; } = TimeSpan.FromMilliseconds(-1);

    internal bool DelayAttachOnConnect { get; set; }

    internal bool DisableTimeWait { get; set; }

    internal Endianness Endian { get; set; }

    internal TimeSpan HeartbeatTtl { get; set; }

    internal TimeSpan HeartbeatInterval { get; set; }

    internal TimeSpan HeartbeatTimeout { get; set; }

    internal byte[]? HelloMessage { get; set; }

    internal byte[]? DisconnectMessage { get; set; }

    internal byte[]? WelcomeMessage { get; set; }

    internal bool Relaxed { get; set; }

    internal bool Correlate { get; set; }

    internal bool RouterMandatory { get; set; }

    internal bool RouterHandover { get; set; }

    internal bool XPubVerbose { get; set; }

    internal bool ManualPublisher { get; set; }

    /// <summary>The routing id of the peer that a PEER has connected to last.</summary>
    internal byte[]? LastPeerRoutingId { get; set; }

    internal CurveSettings Curve { get; } = new();

    /// <summary>Receives the events of the socket.</summary>
    internal Action<ZeroMqEvent>? OnEvent { get; init; }

    /// <summary>Receives the waits before the socket connects again.</summary>
    internal Action<string, TimeSpan>? OnReconnect { get; init; }

    /// <summary>Returns options of a socket type with the values that all types share.</summary>
    internal TOptions Fill<TOptions>(TOptions options)
        where TOptions : ZeroMqSocketOptions
        => (TOptions)((ZeroMqSocketOptions)options with
        {
            RoutingId = Identity ?? [],
            Security = Curve.ToSecurity(),
            SendBufferSize = SendBuffer > 0 ? SendBuffer : null,
            ReceiveBufferSize = ReceiveBuffer > 0 ? ReceiveBuffer : null,
            Linger = Limit(Linger),
            ReconnectInitial = ReconnectInterval > TimeSpan.Zero ? ReconnectInterval : Timeout.InfiniteTimeSpan,
            ReconnectMax = ReconnectIntervalMax > ReconnectInterval ? ReconnectIntervalMax : ReconnectInterval,
            Limits = Limits,
            SendHighWaterMark = Math.Max(0, SendHighWatermark),
            ReceiveHighWaterMark = Math.Max(0, ReceiveHighWatermark),
            SendHighWaterBytes = long.MaxValue / 4,
            ReceiveHighWaterBytes = long.MaxValue / 4,
            KeepAliveTime = KeepAliveTime,
            Immediate = DelayAttachOnConnect,
            HeartbeatInterval = HeartbeatInterval > TimeSpan.Zero ? HeartbeatInterval : Timeout.InfiniteTimeSpan,
            HeartbeatTimeout = HeartbeatTimeout > TimeSpan.Zero ? HeartbeatTimeout : null,
            HeartbeatTtl = HeartbeatTtl > TimeSpan.Zero ? HeartbeatTtl : TimeSpan.Zero,
            HelloMessage = HelloMessage,
            DisconnectMessage = DisconnectMessage,
            OnEvent = OnEvent,
            OnReconnect = OnReconnect,
        });

    /// <summary>Returns a timeout as the base library writes it: each negative value means no limit.</summary>
    internal static TimeSpan Limit(TimeSpan timeout)
        => timeout < TimeSpan.Zero ? Timeout.InfiniteTimeSpan : timeout;

    private ZmtpLimits Limits => MaxMsgSize is < 0 or > LargestMessage
        ? new ZmtpLimits(LargestMessage, LargestMessage)
        : new ZmtpLimits(Math.Max(1, (int)MaxMsgSize), LargestMessage);

    private TimeSpan KeepAliveTime => !TcpKeepalive ? Timeout.InfiniteTimeSpan
        : TcpKeepaliveIdle >= TimeSpan.FromSeconds(1) ? TcpKeepaliveIdle : TimeSpan.FromHours(2);
}
