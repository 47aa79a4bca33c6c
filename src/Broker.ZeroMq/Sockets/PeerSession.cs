using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// One connection of a socket: first the handshake, then the traffic, and finally the one event that reports the end.
/// </summary>
/// <remarks>
/// All code runs on the connection's loop. Other loops only write messages to the buffers of <see cref="Connection"/>.
/// </remarks>
internal abstract partial class PeerSession : ConnectionHandler
{
    // The limit in bytes of the answers that are queued for a peer that requests answers and does not read them.
    private const long MaxPendingAnswerBytes = 64 * 1024;

    /// <summary>The time for sending the ERROR command that contains the reason of a refusal.</summary>
    internal static readonly TimeSpan ErrorLinger = TimeSpan.FromSeconds(1);

    // The most received bytes that are buffered for a peer before its handshake is complete.
    private const int MaxHandshakeBytes = 8 * 1024;

    private const int KeepAliveProbes = 3;
    private static readonly TimeSpan KeepAliveInterval = TimeSpan.FromSeconds(10);

    // Null if the peer has connected to this side: nobody waits for the end of such a session.
    private readonly TaskCompletionSource<bool>? _ended;
    private protected ZmtpDecoder Decoder;
    private PeerHandshake? _handshake;
    private ZmtpCipher? _cipher;
    private string? _address;
    private bool _isCounted;
    private volatile bool _accepted;

    private protected PeerSession(LoopSocket socket, EventLoop loop, string endpoint, OutgoingLink? link)
    {
        Socket = socket;
        Loop = loop;
        Endpoint = endpoint;
        Link = link;
        _ended = link is null ? null : new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Decoder = new ZmtpDecoder(socket.InboundLimits);
    }

    internal LoopSocket Socket { get; }

    /// <summary>The heartbeats; null until the peer is accepted.</summary>
    internal PeerHeartbeat? Heartbeat { get; private set; }

    internal EventLoop Loop { get; }

    internal OutgoingLink? Link { get; }

    internal string Endpoint { get; }

    /// <summary>
    /// The address of the peer, or the endpoint if the peer has no IP address. May be read on any thread.
    /// </summary>
    internal string Address
        => Connection is { } connection ? _address ??= ZeroMqEndpoint.Show(connection.RemoteEndPoint, Endpoint) : Endpoint;

    /// <summary>The connection; null until it has been opened.</summary>
    internal Connection Connection { get; private set; } = null!;

    /// <summary>The peer; null until the handshake is complete.</summary>
    internal ZeroMqPeer? Peer { get; private set; }

    /// <summary>
    /// Completes when the connection has ended, with true if the handshake was completed and the peer was accepted.
    /// Only for a session of a <see cref="Link"/>.
    /// </summary>
    internal Task<bool> Ended => _ended!.Task;

    /// <summary>Whether nothing more is read from the peer or sent to it.</summary>
    internal bool IsOver { get; private set; }

    /// <summary>Whether the handshake was completed and the peer was accepted. May be read on any thread.</summary>
    internal bool IsAccepted => _accepted;

    public sealed override void OnOpened(Connection connection)
    {
        Connection = connection;
        _isCounted = Socket.TryAdd(this, out string? reason);
        if (!_isCounted || Link is { IsStopped: true })
        {
            if (reason is not null)
            {
                Report(ZeroMqEventKind.PeerRefused, reason);
            }

            // Do not close the connection here: the transport still uses the connection after this method returns.
            IsOver = true;
            Loop.Post(() => connection.Close());
            return;
        }

        connection.Framing = MessageFraming.Instance;
        Configure(connection);
        if (Socket.CommonOptions.KeepAliveTime != Timeout.InfiniteTimeSpan)
        {
            connection.KeepAlive(Socket.CommonOptions.KeepAliveTime, KeepAliveInterval, KeepAliveProbes);
        }

        LoopSocketOptions options = Socket.CommonOptions;
        if (options.SendBufferSize is not null || options.ReceiveBufferSize is not null || options.TypeOfService is not null)
        {
            connection.Tune(options.SendBufferSize, options.ReceiveBufferSize, options.TypeOfService);
        }

        connection.MaxReadBytes = MaxHandshakeBytes;
        _handshake = new PeerHandshake(this);
        _handshake.Start();
    }

    public sealed override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        int consumed = 0;
        if (Peer is null && !IsOver)
        {
            consumed = _handshake!.Advance(bytes, ref needed);

            // If the handshake has agreed on encryption, the bytes after its end are already encrypted. The transport
            // decrypts them and delivers them again.
            if (!IsOver && (Peer is null || _cipher is not null))
            {
                return consumed;
            }
        }

        if (IsOver)
        {
            return bytes.Length;
        }

        if (connection.IsReceivingPaused)
        {
            // The connection was paused when the handshake ended.
            return consumed;
        }

        ZmtpDecodeResult result = Decode(bytes[consumed..]);
        needed = result.Needed;
        if (result.Error == ZmtpError.None)
        {
            if (connection.IsReceivingPaused)
            {
                // A PING between the frames of an undelivered message has been handled already and will not be decoded
                // again.
                Heartbeat!.AnswerBufferedPings(bytes[(consumed + result.Consumed + Decoder.Scanned)..]);
            }
            else if (result.Paused)
            {
                connection.YieldReceiving();
            }

            return consumed + result.Consumed;
        }

        OnRefusedBytes(result.Error);
        return bytes.Length;
    }

    public sealed override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        StopTimers();
        EndHandshake();
        bool wasOver = IsOver;
        IsOver = true;
        ZeroMqUndelivered? undelivered = Peer is null ? null : TakeUndelivered(connection, Peer);
        try
        {
            if (_accepted)
            {
                OnDisconnected();
            }
        }
        finally
        {
            // Even if the application's callback throws, a closing socket and a link must not wait for this session
            // forever.
            if (!wasOver)
            {
                ReportEnd(reason, error, undelivered);
            }

            if (_isCounted)
            {
                Socket.Remove(this, undelivered);
            }

            _ended?.TrySetResult(_accepted);
        }
    }

    /// <summary>
    /// Accepts the peer after a complete handshake, or refuses the peer if the application or the socket objects. The
    /// write buffer contains all bytes of the handshake except this side's READY, if READY comes last.
    /// </summary>
    internal void Accept(ZmtpHandshake handshake, string userId)
    {
        ZmtpPeer zmtp = handshake.Peer!;
        int ready = handshake.ReadySize;
        _cipher = handshake.TakeCipher(Socket.InboundLimits);
        EndHandshake();
        Peer = new ZeroMqPeer(this, Socket.NextPeerId(), zmtp, userId);
        string? objection = Socket.CommonOptions.AcceptPeer?.Invoke(Peer);
        if ((objection ?? Socket.RefusalOf(this)) is { } reason)
        {
            // An ERROR command instead of READY tells the peer never to retry (RFC 23). So if the only problem is a
            // limit or a used routing id, it is sent only to a peer that retries all the same. After READY the peer
            // could not read a plain ERROR command if the connection is encrypted.
            bool maySend = ready > 0 ? objection is not null || zmtp.ReconnectsAfterError : _cipher is null;
            if (zmtp.UnderstandsCommands && maySend)
            {
                LoopWriteBuffer buffer = WriteBuffer;
                buffer.Advance(ZmtpCommandWriter.WriteError(buffer.GetSpan(ZmtpCommandWriter.MaxErrorSize), reason));
            }

            _cipher?.Dispose();
            Refuse(reason, ErrorLinger);
            return;
        }

        if (IsOver)
        {
            _cipher?.Dispose();
            return;
        }

        WriteBuffer.Advance(ready);
        if (_cipher is not null)
        {
            Connection.StartRecords(_cipher);
        }

        Connection.MaxReadBytes = 0;
        Heartbeat = new PeerHeartbeat(this);
        Heartbeat.Start(zmtp);
        _accepted = true;
        OnAccepted();
        Report(ZeroMqEventKind.PeerConnected, reason: null);
    }

    /// <summary>
    /// Whether the connection, which was accepted and has ended, brought a message or lasted at least this long.
    /// </summary>
    internal bool WasUseful(TimeSpan minimum) => Peer!.MessagesReceived > 0
        || Environment.TickCount64 - Heartbeat!.AcceptedAt >= minimum.TotalMilliseconds;

    /// <summary>Refuses a peer whose handshake has exceeded the time limit.</summary>
    internal void RefuseSlowHandshake() => Refuse("the handshake took too long");

    /// <summary>Refuses the peer and closes the connection at once. Must be called on the loop.</summary>
    internal void Refuse(string reason) => Refuse(reason, linger: TimeSpan.Zero);

    /// <summary>
    /// Closes the connection after the queued data has been sent, at the latest after the linger time. The peer is not
    /// reported as refused. May be called on any thread.
    /// </summary>
    internal void Close(TimeSpan linger) => Connection?.Close(linger);

    private protected abstract void Configure(Connection connection);

    private protected abstract ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes);

    /// <summary>Called when the peer was accepted.</summary>
    private protected abstract void OnAccepted();

    /// <summary>Called when a peer that was accepted has disconnected.</summary>
    private protected abstract void OnDisconnected();

    /// <summary>
    /// The messages that the peer did not get and that will not be sent again; null for none. Called within
    /// <see cref="OnClosed"/>.
    /// </summary>
    private protected virtual ZeroMqUndelivered? TakeUndelivered(Connection connection, ZeroMqPeer peer)
        => UnsentMessages.Of(connection, peer);

    /// <summary>
    /// Whether the peer's queue has room for answers and PINGs. Without this limit, a hostile peer could fill the
    /// memory with answers that it does not read.
    /// </summary>
    internal virtual bool HasRoomForAnswer => Connection.PendingBytes < MaxPendingAnswerBytes;

    /// <summary>Whether the peer cannot be expected to answer now, because of data that is queued for it.</summary>
    internal virtual bool IsSilenceExpected => false;

    internal LoopWriteBuffer WriteBuffer => Connection.GetWriteBuffer(Loop);

    /// <summary>Handles a command that is not a subscription. Returns false if the peer has been refused.</summary>
    private protected bool OnCommonCommand(in ZmtpCommand command)
    {
        switch (command.Kind)
        {
            case ZmtpCommandKind.Ping:
                return Heartbeat!.OnPing(command);
            case ZmtpCommandKind.Error:
                return OnErrorOfPeer(command);
            default:
                // RFC 37: unknown commands are ignored. A PONG needs no handling, because its bytes have already been
                // counted as received.
                return true;
        }
    }

    private void EndHandshake()
    {
        _handshake?.End();
        _handshake = null;
    }

    private void StopTimers()
    {
        _handshake?.StopTimer();
        Heartbeat?.Stop();
    }

    /// <summary>
    /// Refuses the peer, and closes the connection after the queued data has been sent, at the latest after the linger
    /// time. Must be called on the loop.
    /// </summary>
    internal void Refuse(string reason, TimeSpan linger)
    {
        if (IsOver)
        {
            return;
        }

        IsOver = true;
        StopTimers();
        Report(ZeroMqEventKind.PeerRefused, reason);
        Connection.Close(linger);
    }

    private void ReportEnd(CloseReason reason, Exception? error, ZeroMqUndelivered? undelivered)
    {
        if (_cipher is { Error: not ZmtpError.None } cipher)
        {
            Report(ZeroMqEventKind.PeerRefused, ZmtpErrors.Text(cipher.Error));
            return;
        }

        string text = reason switch
        {
            _ when error is not null => $"failed with {error.GetType().Name}",
            CloseReason.Local => "closed by this side",
            CloseReason.Peer => "closed by the peer",
            CloseReason.QueueFull or CloseReason.WriteTimeout => "accepted no data for too long",
            CloseReason.ReceiveMemory => "its message was incomplete for too long while the memory for received messages was used up",
            CloseReason.Shutdown => "the loops were stopped",
            _ => "the connection was lost",
        };
        if (_accepted)
        {
            Report(ZeroMqEventKind.PeerDisconnected, text, undelivered?.Messages ?? 0);
        }
        else if (reason is CloseReason.Peer or CloseReason.Error)
        {
            Report(ZeroMqEventKind.PeerRefused, "handshake not completed: " + text);
        }
    }

    private protected void Report(ZeroMqEventKind kind, string? reason, long undelivered = 0)
    {
        if (kind == ZeroMqEventKind.PeerRefused)
        {
            Socket.CountRefusedPeer();
        }

        if (kind != ZeroMqEventKind.PeerRefused || Link is null || Link.IsNewFailure(reason!))
        {
            Socket.Report(new ZeroMqEvent(kind, Endpoint, Address, Peer, reason, undelivered));
        }
    }
}
