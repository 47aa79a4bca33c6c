namespace NetMQ;

/// <summary>
/// The options of a thread-safe socket. Set them before the first bind or connect: an option that is set later has no
/// effect, except <see cref="Linger"/>.
/// </summary>
public class ThreadSafeSocketOptions
{
    private readonly ThreadSafeSocket _socket;

    internal ThreadSafeSocketOptions(ThreadSafeSocket socket) => _socket = socket;

    /// <summary>The address of the last bind or connect, with the port that the system chose.</summary>
    public string? LastEndpoint => _socket.LastEndpoint;

    /// <summary>The size of the kernel's send buffer in bytes; 0 lets the system choose.</summary>
    public int SendBuffer
    {
        get => Read().SendBuffer;
        set => Read().SendBuffer = value;
    }

    /// <summary>The size of the kernel's receive buffer in bytes; 0 lets the system choose.</summary>
    public int ReceiveBuffer
    {
        get => Read().ReceiveBuffer;
        set => Read().ReceiveBuffer = value;
    }

    /// <summary>
    /// How long a closed socket still sends queued messages. Zero drops them; a negative value has no
    /// limit. May be set at any time. Default −1 ms.
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
        set => Read().ReconnectInterval = value;
    }

    /// <summary>The longest wait before the socket connects again. Zero keeps the wait constant.</summary>
    public TimeSpan ReconnectIntervalMax
    {
        get => Read().ReconnectIntervalMax;
        set => Read().ReconnectIntervalMax = value;
    }

    /// <summary>The largest frame that a peer may send, in bytes; -1 means 1 GiB.</summary>
    public long MaxMsgSize
    {
        get => Read().MaxMsgSize;
        set => Read().MaxMsgSize = value;
    }

    /// <summary>How many messages may wait to be sent to a peer; 0 means no limit.</summary>
    public int SendHighWatermark
    {
        get => Read().SendHighWatermark;
        set => Read().SendHighWatermark = value;
    }

    /// <summary>How many messages of a peer may wait to be received; 0 means no limit.</summary>
    public int ReceiveHighWatermark
    {
        get => Read().ReceiveHighWatermark;
        set => Read().ReceiveHighWatermark = value;
    }

    /// <summary>Whether messages are queued only for peers whose connection is complete.</summary>
    public bool DelayAttachOnConnect
    {
        get => Read().DelayAttachOnConnect;
        set => Read().DelayAttachOnConnect = value;
    }

    /// <summary>How long the peer may wait for the next sign of life before it closes the connection.</summary>
    public TimeSpan HeartbeatTtl
    {
        get => Read().HeartbeatTtl;
        set => Read().HeartbeatTtl = value;
    }

    /// <summary>The time between two heartbeats; zero sends none.</summary>
    public TimeSpan HeartbeatInterval
    {
        get => Read().HeartbeatInterval;
        set => Read().HeartbeatInterval = value;
    }

    /// <summary>How long the socket waits for the answer to a heartbeat.</summary>
    public TimeSpan HeartbeatTimeout
    {
        get => Read().HeartbeatTimeout;
        set => Read().HeartbeatTimeout = value;
    }

    /// <summary>A message that each peer receives first.</summary>
    public byte[]? HelloMessage
    {
        set => Read().HelloMessage = value;
    }

    /// <summary>A message that this socket receives when a peer has disconnected.</summary>
    public byte[]? DisconnectMessage
    {
        set => Read().DisconnectMessage = value;
    }

    /// <summary>Has no effect: event loops serve the sockets.</summary>
    public long Affinity
    {
        get => Read().Affinity;
        set => Read().Affinity = value;
    }

    /// <summary>Has no effect: the listener has a queue of its own size.</summary>
    public int Backlog
    {
        get => Read().Backlog;
        set => Read().Backlog = value;
    }

    /// <summary>Has no effect: the socket resumes at half of the high-water mark.</summary>
    public int SendLowWatermark
    {
        get => Read().SendLowWatermark;
        set => Read().SendLowWatermark = value;
    }

    /// <summary>Has no effect: the socket resumes at half of the high-water mark.</summary>
    public int ReceiveLowWatermark
    {
        get => Read().ReceiveLowWatermark;
        set => Read().ReceiveLowWatermark = value;
    }

    /// <summary>Has no effect: the form of an address says which protocol it is of.</summary>
    public bool IPv4Only
    {
        get => Read().IPv4Only;
        set => Read().IPv4Only = value;
    }

    /// <summary>Has no effect: a closed connection ends in order, so that nothing sent is lost.</summary>
    public bool DisableTimeWait
    {
        get => Read().DisableTimeWait;
        set => Read().DisableTimeWait = value;
    }

    /// <summary>
    /// Whether the socket is the server of CURVE. It then needs a <see cref="CurveCertificate"/>, and admits each
    /// client that knows its public key. False turns CURVE off.
    /// </summary>
    public bool CurveServer
    {
        get => Read().Curve.IsServer;
        set => Read().Curve.SetServer(value);
    }

    /// <summary>The socket's own keys of CURVE.</summary>
    /// <exception cref="ArgumentException">The certificate has no secret key.</exception>
    public NetMQCertificate CurveCertificate
    {
        set => Read().Curve.SetCertificate(value);
    }

    /// <summary>The public key of the server of CURVE that the socket connects to: 32 bytes.</summary>
    /// <exception cref="InvalidException">The key does not have 32 bytes.</exception>
    public byte[] CurveServerKey
    {
        get => Read().Curve.ServerKey;
        set => Read().Curve.SetServerKey(value);
    }

    /// <summary>The certificate of the server of CURVE that the socket connects to.</summary>
    public NetMQCertificate CurveServerCertificate
    {
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            Read().Curve.SetServerKey(value.PublicKey);
        }
    }

    private SocketSettings Read()
    {
        ObjectDisposedException.ThrowIf(_socket.IsDisposed, _socket);
        return _socket.Settings;
    }
}
