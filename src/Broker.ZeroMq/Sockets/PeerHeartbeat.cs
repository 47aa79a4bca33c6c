using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// The heartbeats of one session (RFC 37, "Connection Heartbeating"). A timer for each PING, and not for each message,
/// checks whether the number of received bytes has grown. So even a part of a message proves that the peer is alive.
/// Used on the session's loop.
/// </summary>
internal sealed class PeerHeartbeat(PeerSession session)
{
    // Null until the first PING.
    private PingAnswers? _answers;
    private long _receivedAtHandshake;
    private long _acceptedAt;
    private long _receivedAtPing;
    private long _receivedAtTtl;
    private uint _pauses;
    private uint _pausesAtPing;
    private uint _pausesAtTtl;
    private long _sentAtPing;
    private TimeSpan _peerTtl;
    private LoopTimer? _pingTimer;
    private LoopTimer? _pongTimer;
    private LoopTimer? _ttlTimer;

    /// <summary>
    /// How long a peer without PING support has sent nothing since its handshake, in milliseconds. -1 if the peer has
    /// sent something or supports PING, or if this socket connected to the peer. May be called on any thread; the value
    /// may be out of date at once.
    /// </summary>
    internal long GetSilence(long now)
        => session.IsAccepted && session.Link is null && !session.Peer!.Zmtp.UnderstandsPing
            && Received == _receivedAtHandshake ? now - _acceptedAt : -1;

    /// <summary>
    /// The time at which the peer was accepted, in milliseconds of <see cref="Environment.TickCount64"/>.
    /// </summary>
    internal long AcceptedAt => _acceptedAt;

    private PingAnswers Answers => _answers ??= new PingAnswers(session);

    private long Received => session.Connection.ReceivedBytes;

    private TimeSpan PongTimeout
    {
        get
        {
            LoopSocketOptions options = session.Socket.CommonOptions;
            return options.HeartbeatTimeout ?? options.HeartbeatInterval;
        }
    }

    internal void OnResumed() => _pauses++;

    /// <summary>Answers the PINGs in received bytes that are not decoded now. See <see cref="PingAnswers"/>.</summary>
    internal void AnswerBufferedPings(ReadOnlySpan<byte> buffered) => Answers.AnswerBuffered(buffered);

    /// <summary>Starts the heartbeats. Called after the handshake.</summary>
    internal void Start(ZmtpPeer zmtp)
    {
        _receivedAtHandshake = Received;
        _acceptedAt = Environment.TickCount64;
        if (zmtp.UnderstandsPing)
        {
            StartPings();
        }
    }

    internal void Stop()
    {
        _pingTimer?.Cancel();
        _pongTimer?.Cancel();
        _ttlTimer?.Cancel();
    }

    /// <summary>Handles a PING. Returns false if the PING is malformed and the peer has been refused.</summary>
    internal bool OnPing(in ZmtpCommand command)
    {
        ZmtpError error = command.ReadPing(out ushort ttl, out ReadOnlySpan<byte> context);
        if (error != ZmtpError.None)
        {
            session.Refuse(ZmtpErrors.Text(error));
            return false;
        }

        _peerTtl = TimeSpan.FromMilliseconds(ttl * 100.0);
        if (ttl != 0 && _ttlTimer is null)
        {
            WatchTtl();
        }

        // NetMQ and libzmq before 4.3.3 announce ZMTP 3.0 and yet support PING. They show it only by one of their own.
        if (_pingTimer is null)
        {
            StartPings();
        }

        Answers.AnswerDecoded(context);
        return true;
    }

    private void StartPings()
    {
        TimeSpan interval = session.Socket.CommonOptions.HeartbeatInterval;
        if (interval != Timeout.InfiniteTimeSpan)
        {
            session.Connection.DetectVanished(PongTimeout);
            _pingTimer = session.Loop.StartTimer(interval, Ping);
        }
    }

    private void Ping()
    {
        if (session.IsOver)
        {
            return;
        }

        LoopSocketOptions options = session.Socket.CommonOptions;
        if (_pongTimer is null)
        {
            _receivedAtPing = Received;
            _pausesAtPing = _pauses;
            _sentAtPing = session.Connection.SentBytes;
            _pongTimer = session.Loop.StartTimer(PongTimeout, CheckPong);
        }

        if (session.HasRoomForAnswer)
        {
            LoopWriteBuffer buffer = session.WriteBuffer;
            ushort ttl = (ushort)(options.HeartbeatTtl.TotalMilliseconds / 100);
            Span<byte> destination = buffer.GetSpan(ZmtpCommandWriter.CommandSize(4, sizeof(ushort)));
            buffer.Advance(ZmtpCommandWriter.WritePing(destination, ttl, context: []));
        }

        _pingTimer = session.Loop.StartTimer(options.HeartbeatInterval, Ping);
    }

    private void CheckPong()
    {
        _pongTimer = null;
        if (Received != _receivedAtPing)
        {
            return;
        }

        // The PING itself is sent within the iteration that wrote it, so only bytes that are sent later show that the
        // peer accepts data.
        Connection connection = session.Connection;
        bool accepts = connection.PendingBytes > 0 && connection.SentBytes > _sentAtPing;
        if (!accepts && !session.IsSilenceExpected && !WasPausedSince(_pausesAtPing))
        {
            session.Refuse("no answer to heartbeats");
        }
        else if (connection.HasVanished(PongTimeout))
        {
            session.Refuse("neither an answer to heartbeats nor an acknowledgement of what was sent");
        }
    }

    private void WatchTtl()
    {
        _receivedAtTtl = Received;
        _pausesAtTtl = _pauses;
        _ttlTimer = session.Loop.StartTimer(_peerTtl, CheckTtl);
    }

    private void CheckTtl()
    {
        _ttlTimer = null;
        if (_peerTtl == TimeSpan.Zero)
        {
            return;
        }

        if (Received == _receivedAtTtl && !WasPausedSince(_pausesAtTtl))
        {
            session.Refuse("silent for longer than the time-to-live of its heartbeats");
        }
        else
        {
            WatchTtl();
        }
    }

    // While receiving is paused, an answer would not be read.
    private bool WasPausedSince(uint pauses)
        => session.Connection.IsReceivingPaused || session.Connection.IsWaitingForMemory || pauses != _pauses;
}
