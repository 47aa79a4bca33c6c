using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>A socket's session with one peer, for sockets that have all their peers on one loop.</summary>
internal sealed class MessageSession : PeerSession
{
    // How many small messages of one read are delivered before the other peers are served. A read of larger messages
    // contains fewer messages.
    private const int MaxMessagesPerRead = 1000;

    private readonly SingleLoopSocket _socket;

    internal MessageSession(SingleLoopSocket socket, EventLoop loop, string endpoint, OutgoingLink? link)
        : base(socket, loop, endpoint, link)
    {
        _socket = socket;
    }

    /// <summary>
    /// The outgoing messages of the peer. Null before the handshake is complete, and for sockets that do not send.
    /// </summary>
    internal OutboundPipe? Pipe { get; set; }

    /// <summary>Whether the session is in the queue of peers that a REP socket serves next.</summary>
    internal bool IsQueued { get; set; }

    // A PING would wait behind the queued messages that the peer does not accept, so the peer's silence proves nothing.
    // Missing TCP acknowledgements prove that the peer has vanished (PeerHeartbeat).
    internal override bool IsSilenceExpected => Connection.PendingBytes > 0;

    public override void OnLowWater(Connection connection)
    {
        lock (_socket.PipeGate)
        {
            Pipe?.OnRoom();
        }
    }

    // Called on the thread that flushes.
    public override void OnDiscarded(Connection connection, ReadOnlySpan<byte> written)
    {
        if (_socket.IsShared)
        {
            Pipe?.OnDiscarded(written);
        }
    }

    /// <summary>Writes a message of one frame before the messages of the pipe.</summary>
    internal void WriteFirst(ReadOnlySpan<byte> frame)
    {
        LoopWriteBuffer buffer = WriteBuffer;
        buffer.Advance(ZmtpWriter.WriteFrame(buffer.GetSpan(ZmtpWriter.FrameSize(frame.Length)), frame, more: false));
    }

    /// <summary>
    /// Passes the messages in <paramref name="bytes"/> to <paramref name="taker"/> until it refuses one. Called by
    /// sinks.
    /// </summary>
    internal ZmtpDecodeResult Decode<TTaker>(ReadOnlySpan<byte> bytes, ref TTaker taker)
        where TTaker : struct, IMessageTaker
    {
        var traffic = new Traffic<TTaker>(this, _socket.HasSeveralPeers ? MaxMessagesPerRead : int.MaxValue, ref taker);
        return Decoder.Decode(bytes, ref traffic);
    }

    private protected override void Configure(Connection connection)
    {
        // The high-water mark limits the queue, so the transport must not close a connection that is merely slow.
        connection.MaxPendingBytes = long.MaxValue;
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
    }

    private protected override ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes)
    {
        ZmtpDecodeResult result = _socket.Sink.Receive(this, bytes);
        if (_socket.Screens)
        {
            _socket.OnBatchEnd();
        }

        return result;
    }

    private protected override void OnAccepted() => _socket.Add(this);

    private protected override void OnEnding()
    {
        lock (_socket.PipeGate)
        {
            Pipe?.BeginEnd();
        }
    }

    private protected override void OnDisconnected() => _socket.Remove(this);

    private protected override ZeroMqUndelivered? TakeUndelivered(Connection connection, ZeroMqPeer peer)
    {
        if (Pipe is not { } pipe)
        {
            return base.TakeUndelivered(connection, peer);
        }

        int dropped;
        lock (_socket.PipeGate)
        {
            if (!pipe.TryRecover(connection, out dropped))
            {
                return TakeLost(pipe, connection, peer);
            }
        }

        if (dropped != 0)
        {
            _socket.CountInterrupted();
            Report(
                ZeroMqEventKind.MessageInterrupted,
                $"a message of {dropped} bytes was dropped: the connection ended {OutboundPipe.MaxRetries + 1} times "
                    + "while it was being sent",
                undelivered: 1);
        }

        return null;
    }

    private ZeroMqUndelivered? TakeLost(OutboundPipe pipe, Connection connection, ZeroMqPeer peer)
    {
        (int messages, long bytes) = pipe.TakeDiscarded();
        ZeroMqUndelivered? queued = base.TakeUndelivered(connection, peer);
        return messages == 0
            ? queued
            : new ZeroMqUndelivered(peer, (queued?.Messages ?? 0) + messages, (queued?.Bytes ?? 0) + bytes);
    }

    /// <summary>Passes messages directly from the decoder to the sink.</summary>
    private ref struct Traffic<TTaker>(MessageSession session, int slice, ref TTaker taker) : IZmtpFrameHandler
        where TTaker : struct, IMessageTaker
    {
        private readonly ref TTaker _taker = ref taker;
        private readonly MessageSession _session = session;
        private readonly ZeroMqPeer _peer = session.Peer!;
        private readonly bool _screens = session._socket.Screens;
        private int _left = slice;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ZmtpVerdict OnMessage(in ZmtpMessage message)
        {
            if (_screens)
            {
                return _session._socket.TakesUnderGate ? OnScreenedUnderGate(message) : OnScreened(message);
            }

            if (!_taker.TryTake(message))
            {
                return _session.Refused();
            }

            _peer.CountReceived();
            return --_left == 0 || _session.MustStop ? _session.Stopped() : ZmtpVerdict.Continue;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private ZmtpVerdict OnScreenedUnderGate(in ZmtpMessage message)
        {
            lock (_session._socket.PipeGate)
            {
                return OnScreened(message);
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private ZmtpVerdict OnScreened(in ZmtpMessage message)
        {
            SingleLoopSocket socket = _session._socket;
            switch (socket.Screen(_session, message, out ZmtpMessage body))
            {
                case Screening.Pause:
                    return _session.Refused();

                case Screening.Drop:
                    _peer.CountFiltered();
                    break;

                default:
                    if (!_taker.TryTake(body))
                    {
                        socket.OnRefused(_session);
                        return _session.Refused();
                    }

                    break;
            }

            _peer.CountReceived();
            return --_left == 0 || _session.MustStop ? _session.Stopped() : ZmtpVerdict.Continue;
        }

        public readonly ZmtpVerdict OnCommand(in ZmtpCommand command)
            => _session.OnCommonCommand(command) ? ZmtpVerdict.Continue : ZmtpVerdict.Abort;
    }
}
