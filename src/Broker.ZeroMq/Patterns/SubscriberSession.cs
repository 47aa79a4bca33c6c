using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>A subscriber's session with one publisher.</summary>
internal sealed class SubscriberSession : PeerSession
{
    // The most bytes that a loop collects before it flushes.
    private const long MaxUnflushedBytes = 256 * 1024;

    // A larger mark limits nothing in practice. Up to this value the multiplication in Configure does not overflow.
    private const long MaxMark = 1L << 48;

    private readonly LoopSubscriber _socket;
    private readonly LoopSubscriptions _subscriptions;
    private readonly HighWaterMark? _mark;

    internal SubscriberSession(LoopSubscriber socket, EventLoop loop, string endpoint, OutgoingLink? link)
        : base(socket, loop, endpoint, link)
    {
        _socket = socket;
        _subscriptions = socket.SubscriptionsOf(loop);
        if (socket.Options.MaxUpstreamMessages > 0)
        {
            _mark = new HighWaterMark(socket.Options.MaxUpstreamMessages, socket.Loops.Count);
        }
    }

    /// <summary>
    /// Sends a subscription or a cancellation to the publisher, in the form that the publisher's ZMTP version supports.
    /// </summary>
    internal void SendSubscription(ReadOnlySpan<byte> prefix, bool subscribe)
    {
        if (_socket.HasGroups)
        {
            SendGroup(ZmtpGroup.Of(prefix), subscribe);
            return;
        }

        bool asCommand = Peer!.Zmtp.UsesSubscribeCommands;
        LoopWriteBuffer buffer = WriteBuffer;
        Span<byte> destination = buffer.GetSpan(ZmtpCommandWriter.SubscriptionSize(prefix.Length, subscribe, asCommand));
        buffer.Advance(ZmtpCommandWriter.WriteSubscription(destination, prefix, subscribe, asCommand));
    }

    private protected override void Configure(Connection connection)
    {
        // Upstream messages stop at the mark. But a loop knows only the bytes that other loops have flushed, not the
        // bytes in their write buffers, and up to half of a buffer can stay unused after a message. Subscriptions may
        // use as much again.
        long mark = Math.Min(_socket.Options.MaxPendingBytes, MaxMark);
        connection.MaxPendingBytes = mark + (2 * _socket.Loops.Count * (mark + MaxUnflushedBytes));
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
    }

    /// <summary>Queues a message if there is room. May be called on any loop of the group.</summary>
    internal bool TrySendUpstream(EventLoop loop, ReadOnlySpan<byte> encoded)
    {
        LoopWriteBuffer buffer = Connection.GetWriteBuffer(loop);
        long share = loop.Group.MemoryBudget.PerPeerLimit;
        if (Connection.BufferedBytes + buffer.Length + encoded.Length > share)
        {
            // Flush first: bytes that the peer accepts at once do not count against its share of the memory.
            Connection.Flush(loop);
        }

        long waiting = Connection.BufferedBytes + buffer.Length;
        if (waiting + encoded.Length > _socket.Options.MaxPendingBytes
            || (waiting > 0 && waiting + encoded.Length > share)
            || (_mark is not null && !_mark.HasRoom(Connection, loop, buffer)))
        {
            return false;
        }

        buffer.Write(encoded);
        Peer!.CountSent(Loop == loop);
        _mark?.Count(loop);
        return true;
    }

    private protected override void OnAccepted()
    {
        _subscriptions.Add(this);
        _socket.Add(this);
    }

    private protected override void OnDisconnected()
    {
        _socket.Remove(this);
        _subscriptions.Remove(this);
        _socket.OnPeerDisconnected?.Invoke(Peer!);
    }

    private protected override ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes)
    {
        var traffic = new Traffic(this);
        return Decoder.Decode(bytes, ref traffic);
    }

    private ZmtpVerdict OnMessage(in ZmtpMessage message)
    {
        ZeroMqPeer peer = Peer!;
        if (!IsWanted(message.FirstFrame.Body))
        {
            peer.CountReceived();
            peer.CountFiltered();
            return ZmtpVerdict.Continue;
        }

        if (!_socket.OnMessage(peer, message))
        {
            return Refused();
        }

        peer.CountReceived();

        // The handler may have closed or paused the peer.
        return MustStop ? Stopped() : ZmtpVerdict.Continue;
    }

    private bool IsWanted(ReadOnlySpan<byte> topic)
    {
        if (!_socket.HasGroups)
        {
            return _subscriptions.Matches(topic);
        }

        ReadOnlySpan<byte> prefix = ZmtpGroup.ToPrefix(topic, stackalloc byte[ZmtpGroup.MaxPrefix]);
        return !prefix.IsEmpty && _subscriptions.Matches(prefix);
    }

    private void SendGroup(ReadOnlySpan<byte> group, bool join)
    {
        ReadOnlySpan<byte> name = join ? "JOIN"u8 : "LEAVE"u8;
        LoopWriteBuffer buffer = WriteBuffer;
        Span<byte> destination = buffer.GetSpan(ZmtpCommandWriter.CommandSize(name.Length, group.Length));
        buffer.Advance(ZmtpCommandWriter.WriteCommand(destination, name, group));
    }

    private ZmtpVerdict OnCommand(in ZmtpCommand command)
        => OnCommonCommand(command) ? ZmtpVerdict.Continue : ZmtpVerdict.Abort;

    /// <summary>Passes frames directly from the decoder to the session.</summary>
    private readonly struct Traffic(SubscriberSession session) : IZmtpFrameHandler
    {
        public ZmtpVerdict OnMessage(in ZmtpMessage message) => session.OnMessage(message);

        public ZmtpVerdict OnCommand(in ZmtpCommand command) => session.OnCommand(command);
    }
}
