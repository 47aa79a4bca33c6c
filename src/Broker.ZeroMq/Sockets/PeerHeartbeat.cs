using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// The heartbeats of one session (RFC 37, "Connection Heartbeating"). There is a timer per PING and none per message:
/// received data only increments a counter. Used on the session's loop.
/// </summary>
internal sealed class PeerHeartbeat(PeerSession session)
{
    private readonly PingAnswers _answers = new(session);
    private uint _reads;
    private uint _readsAtHandshake;
    private long _acceptedAt;
    private uint _readsAtPing;
    private uint _readsAtTtl;
    private uint _pauses;
    private uint _pausesAtPing;
    private uint _pausesAtTtl;
    private long _sentAtPing;
    private TimeSpan _peerTtl;
    private LoopTimer? _pingTimer;
    private LoopTimer? _pongTimer;
    private LoopTimer? _ttlTimer;

    /// <summary>
    /// How long an incoming peer without PING support has sent nothing since its handshake, in milliseconds. -1 if it
    /// has sent something, if it supports PING, or if this socket connected to it. May be called on any thread; the
    /// value may be out of date at once.
    /// </summary>
    internal long GetSilence(long now)
        => session.IsAccepted && session.Link is null && !session.Peer!.Zmtp.UnderstandsPing
            && Volatile.Read(ref _reads) == _readsAtHandshake ? now - _acceptedAt : -1;

    internal void OnRead() => _reads++;

    internal void OnResumed() => _pauses++;

    /// <summary>Answers the PINGs in received bytes that are not decoded now. See <see cref="PingAnswers"/>.</summary>
    internal void AnswerBufferedPings(ReadOnlySpan<byte> buffered) => _answers.AnswerBuffered(buffered);

    /// <summary>Starts after the handshake.</summary>
    internal void Start(ZmtpPeer zmtp)
    {
        _readsAtHandshake = _reads;
        _acceptedAt = Environment.TickCount64;
        TimeSpan interval = session.Socket.CommonOptions.HeartbeatInterval;
        if (interval != Timeout.InfiniteTimeSpan && zmtp.UnderstandsPing)
        {
            _pingTimer = session.Loop.StartTimer(interval, Ping);
        }
    }

    internal void Stop()
    {
        _pingTimer?.Cancel();
        _pongTimer?.Cancel();
        _ttlTimer?.Cancel();
    }

    /// <summary>Handles a PING. Returns false if it is malformed; the peer has been refused then.</summary>
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

        _answers.AnswerDecoded(context);
        return true;
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
            _readsAtPing = _reads;
            _pausesAtPing = _pauses;
            _sentAtPing = session.Connection.SentBytes;
            _pongTimer = session.Loop.StartTimer(options.HeartbeatTimeout ?? options.HeartbeatInterval, CheckPong);
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

        // The PING itself is sent within the iteration that wrote it, so that only further bytes show that the peer
        // accepts data.
        Connection connection = session.Connection;
        bool accepts = connection.PendingBytes > 0 && connection.SentBytes > _sentAtPing;
        if (_reads == _readsAtPing && !accepts && !session.IsSilenceExpected && !WasPausedSince(_pausesAtPing))
        {
            session.Refuse("no answer to heartbeats");
        }
    }

    private void WatchTtl()
    {
        _readsAtTtl = _reads;
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

        if (_reads == _readsAtTtl && !WasPausedSince(_pausesAtTtl))
        {
            session.Refuse("silent for longer than the time-to-live of its heartbeats");
        }
        else
        {
            WatchTtl();
        }
    }

    // While receiving is paused, an answer would not be read.
    private bool WasPausedSince(uint pauses) => session.Connection.IsReceivingPaused || pauses != _pauses;
}
