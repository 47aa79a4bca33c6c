namespace NetMQ;

/// <summary>
/// The options of a socket. Set them before the first message: an option that is set later has no effect, except
/// <see cref="Linger"/> and <see cref="RouterMandatory"/>.
/// </summary>
public partial class SocketOptions
{
    private readonly NetMQSocket _socket;

    /// <summary>Creates a view of a socket's options.</summary>
    public SocketOptions(NetMQSocket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        _socket = socket;
    }

    /// <summary>The routing id that a ROUTER peer knows the socket by.</summary>
    public byte[]? Identity
    {
        get => Read().Identity;
        set => Write().Identity = value;
    }

    /// <summary>The size of the kernel's send buffer in bytes; 0 lets the system choose.</summary>
    public int SendBuffer
    {
        get => Read().SendBuffer;
        set => Write().SendBuffer = value;
    }

    /// <summary>The size of the kernel's receive buffer in bytes; 0 lets the system choose.</summary>
    public int ReceiveBuffer
    {
        get => Read().ReceiveBuffer;
        set => Write().ReceiveBuffer = value;
    }

    /// <summary>Whether the frame that was received last is followed by more frames of its message.</summary>
    public bool ReceiveMore => _socket.HasMoreFrames;

    /// <summary>
    /// How long a closed socket still sends queued messages. Zero drops them; a negative value has no limit. May be
    /// set at any time.
    /// </summary>
    public TimeSpan Linger
    {
        get => Read().Linger;
        set => Read().Linger = value;
    }

    /// <summary>The wait before the socket connects again.</summary>
    public TimeSpan ReconnectInterval
    {
        get => Read().ReconnectInterval;
        set => Write().ReconnectInterval = value;
    }

    /// <summary>The longest wait before the socket connects again. Zero keeps the wait constant.</summary>
    public TimeSpan ReconnectIntervalMax
    {
        get => Read().ReconnectIntervalMax;
        set => Write().ReconnectIntervalMax = value;
    }

    /// <summary>The largest frame that a peer may send, in bytes; -1 means 1 GiB.</summary>
    public long MaxMsgSize
    {
        get => Read().MaxMsgSize;
        set => Write().MaxMsgSize = value;
    }

    /// <summary>How many messages may wait to be sent to a peer; 0 means no limit.</summary>
    public int SendHighWatermark
    {
        get => Read().SendHighWatermark;
        set => Write().SendHighWatermark = value;
    }

    /// <summary>How many messages of a peer may wait to be received; 0 means no limit.</summary>
    public int ReceiveHighWatermark
    {
        get => Read().ReceiveHighWatermark;
        set => Write().ReceiveHighWatermark = value;
    }

    /// <summary>The address of the last bind or connect, with the port that the system chose.</summary>
    public string? LastEndpoint => _socket.LastEndpoint;

    /// <summary>The routing id of the peer that a PEER has connected to last; null for other sockets.</summary>
    public byte[]? LastPeerRoutingId => Read().LastPeerRoutingId;

    /// <summary>
    /// Whether a ROUTER throws <see cref="HostUnreachableException"/> if no peer has the routing id of a message. May
    /// be set at any time. If it is set before the first message, a send also waits while the peer has no room.
    /// </summary>
    public bool RouterMandatory
    {
        set => Write().RouterMandatory = value;
    }

    /// <summary>Whether a new peer of a ROUTER replaces a peer with the same routing id.</summary>
    public bool RouterHandover
    {
        set => Write().RouterHandover = value;
    }

    /// <summary>Whether the kernel probes idle connections.</summary>
    public bool TcpKeepalive
    {
        get => Read().TcpKeepalive;
        set => Write().TcpKeepalive = value;
    }

    /// <summary>How long a connection is idle before the kernel probes it.</summary>
    public TimeSpan TcpKeepaliveIdle
    {
        get => Read().TcpKeepaliveIdle;
        set => Write().TcpKeepaliveIdle = value;
    }

    /// <summary>Whether messages are queued only for peers whose connection is complete.</summary>
    public bool DelayAttachOnConnect
    {
        get => Read().DelayAttachOnConnect;
        set => Write().DelayAttachOnConnect = value;
    }

    /// <summary>Whether an XPUB receives every subscription, and not only the first to each topic.</summary>
    public bool XPubVerbose
    {
        set => Write().XPubVerbose = value;
    }

    /// <summary>Whether the program decides what the peers of an XPUB get.</summary>
    public bool ManualPublisher
    {
        set => Write().ManualPublisher = value;
    }

    /// <summary>How long the peer may wait for the next sign of life before it closes the connection.</summary>
    public TimeSpan HeartbeatTtl
    {
        get => Read().HeartbeatTtl;
        set => Write().HeartbeatTtl = value;
    }

    /// <summary>The time between two heartbeats; zero sends none.</summary>
    public TimeSpan HeartbeatInterval
    {
        get => Read().HeartbeatInterval;
        set => Write().HeartbeatInterval = value;
    }

    /// <summary>How long the socket waits for the answer to a heartbeat.</summary>
    public TimeSpan HeartbeatTimeout
    {
        get => Read().HeartbeatTimeout;
        set => Write().HeartbeatTimeout = value;
    }

    /// <summary>A message that each peer receives first.</summary>
    public byte[]? HelloMessage
    {
        set => Write().HelloMessage = value;
    }

    /// <summary>A message that this socket receives when a peer has disconnected.</summary>
    public byte[]? DisconnectMessage
    {
        set => Write().DisconnectMessage = value;
    }

    /// <summary>Whether a REQ may send a request before the last is answered.</summary>
    public bool Relaxed
    {
        get => Read().Relaxed;
        set => Write().Relaxed = value;
    }

    /// <summary>Whether a REQ numbers its requests, so that a late reply is recognised.</summary>
    public bool Correlate
    {
        get => Read().Correlate;
        set => Write().Correlate = value;
    }

    private SocketSettings Read()
    {
        _socket.ThrowIfDisposed();
        return _socket.Settings;
    }

    private SocketSettings Write()
    {
        _socket.ThrowIfDisposed();
        _socket.OnOptionChanged();
        return _socket.Settings;
    }
}
