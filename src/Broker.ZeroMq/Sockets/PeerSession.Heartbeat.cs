using Broker.Transport;

namespace Broker.ZeroMq.Loops;

// Heartbeats (RFC 37, "Connection Heartbeating"). There is a timer per PING and none per message: received data only
// increments a counter.
internal abstract partial class PeerSession
{
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
    internal long GetSilence(long now) =>
        _accepted && Link is null && !Peer!.Zmtp.UnderstandsPing && Volatile.Read(ref _reads) == _readsAtHandshake ? now - _acceptedAt : -1;

    /// <summary>
    /// Handles a command that is not a subscription. Returns false if the connection must end; it has been refused
    /// then.
    /// </summary>
    private protected bool OnCommonCommand(in ZmtpCommand command)
    {
        switch (command.Kind)
        {
            case ZmtpCommandKind.Ping:
                return OnPing(command);
            case ZmtpCommandKind.Error:
                Refuse(ZmtpErrors.Text(ZmtpError.PeerRefused));
                return false;
            default:
                // RFC 37: unknown commands are ignored. A PONG needs no handling, because its arrival has been counted.
                return true;
        }
    }

    private bool OnPing(in ZmtpCommand command)
    {
        var error = command.ReadPing(out ushort ttl, out var context);
        if (error != ZmtpError.None)
        {
            Refuse(ZmtpErrors.Text(error));
            return false;
        }

        _peerTtl = TimeSpan.FromMilliseconds(ttl * 100.0);
        if (ttl != 0 && _ttlTimer is null)
        {
            WatchTtl();
        }

        if (_pingsAnsweredAhead > 0)
        {
            _pingsAnsweredAhead--;
        }
        else if (HasRoomForAnswer)
        {
            Answer(context);
        }

        return true;
    }

    private void StartHeartbeat(ZmtpPeer zmtp)
    {
        _readsAtHandshake = _reads;
        _acceptedAt = Environment.TickCount64;
        if (Socket.CommonOptions.HeartbeatInterval != Timeout.InfiniteTimeSpan && zmtp.UnderstandsPing)
        {
            _pingTimer = Loop.StartTimer(Socket.CommonOptions.HeartbeatInterval, Ping);
        }
    }

    private void Ping()
    {
        if (IsOver)
        {
            return;
        }

        var options = Socket.CommonOptions;
        if (_pongTimer is null)
        {
            _readsAtPing = _reads;
            _pausesAtPing = _pauses;
            _sentAtPing = Connection.SentBytes;
            _pongTimer = Loop.StartTimer(options.HeartbeatTimeout ?? options.HeartbeatInterval, CheckPong);
        }

        if (HasRoomForAnswer)
        {
            var buffer = WriteBuffer;
            ushort ttl = (ushort)(options.HeartbeatTtl.TotalMilliseconds / 100);
            buffer.Advance(ZmtpCommandWriter.WritePing(buffer.GetSpan(ZmtpCommandWriter.CommandSize(4, sizeof(ushort))), ttl, context: []));
        }

        _pingTimer = Loop.StartTimer(options.HeartbeatInterval, Ping);
    }

    private void CheckPong()
    {
        _pongTimer = null;

        // The PING itself is sent within the iteration that wrote it, so that only further bytes show that the peer
        // accepts data.
        bool takes = Connection.PendingBytes > 0 && Connection.SentBytes > _sentAtPing;
        if (_reads == _readsAtPing && !takes && !IsSilenceExpected && !WasPausedSince(_pausesAtPing))
        {
            Refuse("no answer to heartbeats");
        }
    }

    private void WatchTtl()
    {
        _readsAtTtl = _reads;
        _pausesAtTtl = _pauses;
        _ttlTimer = Loop.StartTimer(_peerTtl, CheckTtl);
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
            Refuse("silent for longer than the time-to-live of its heartbeats");
        }
        else
        {
            WatchTtl();
        }
    }

    /// <summary>Whether the peer cannot be expected to answer now, because of data that is queued for it.</summary>
    private protected virtual bool IsSilenceExpected => false;

    // While receiving is paused, an answer would not be read.
    private bool WasPausedSince(uint pauses) => Connection.IsReceivingPaused || pauses != _pauses;

    private void StopTimers()
    {
        _handshakeTimer?.Cancel();
        _pingTimer?.Cancel();
        _pongTimer?.Cancel();
        _ttlTimer?.Cancel();
    }
}
