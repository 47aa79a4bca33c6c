using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>A publisher's session with one subscriber.</summary>
internal sealed partial class PublisherSession : PeerSession
{
    private readonly LoopPublisher _socket;

    internal PublisherSession(LoopPublisher socket, EventLoop loop, string endpoint, OutgoingLink? link)
        : base(socket, loop, endpoint, link)
    {
        LoopPublisherOptions options = socket.Options;
        _socket = socket;
        _highWaterMark = options.HighWaterMark;
        _subscriptions = new DistinctPrefixes(options.MaxSubscriptionsPerPeer, options.MaxSubscriptionBytesPerPeer);
        _requested = options.Manual
            ? new DistinctPrefixes(options.MaxSubscriptionsPerPeer, options.MaxSubscriptionBytesPerPeer)
            : null;
        _searches = new long[socket.Loops.Count];
        if (options.HighWaterMessages > 0)
        {
            _mark = new HighWaterMark(options.HighWaterMessages, socket.Loops.Count);
        }
    }

    // A peer that accepts no bytes does not read a PING that is queued behind messages. Such a peer loses messages and
    // keeps its connection, unless StalledPeerTimeout is set.
    internal override bool IsSilenceExpected => Connection.PendingBytes > 0;

    internal override bool HasRoomForAnswer => Connection.BufferedBytes < _highWaterMark;

    private protected override void Configure(Connection connection)
    {
        // The high-water mark limits the queue, so the transport must not close a connection that is merely slow.
        connection.MaxPendingBytes = long.MaxValue;
        connection.WriteDeadline = _socket.Options.StalledPeerTimeout;
    }

    private protected override void OnAccepted()
    {
        _socket.Add(this);
        if (!_socket.Options.WelcomeMessage.IsEmpty)
        {
            SendWelcome(_socket.Options.WelcomeMessage.Span);
        }
    }

    // The subscriptions of a refused peer must not use memory that other peers could use.
    private protected override void OnLingering() => OnDisconnected();

    private protected override void OnDisconnected()
    {
        if (_isDisconnected)
        {
            return;
        }

        _isDisconnected = true;
        _socket.Remove(this);
        _socket.OnPeerDisconnected?.Invoke(Peer!);

        // A caller that keeps the peer object for its counters must not keep the subscriptions alive.
        DistinctPrefixes left = _subscriptions;
        DistinctPrefixes? requested = _requested;
        _subscriptions = new DistinctPrefixes(0, 0);
        _requested = null;
        _conflated?.Drop();
        NotifyRoom();
        SubscriptionCleanup.Start(_socket, this, left, requested, _subscriptionMemory);
    }

    private protected override ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes)
    {
        _changes = 0;
        var traffic = new Traffic(this);
        return Decoder.Decode(bytes, ref traffic);
    }

    private void SendWelcome(ReadOnlySpan<byte> frame)
    {
        LoopWriteBuffer buffer = WriteBuffer;
        buffer.Advance(ZmtpWriter.WriteFrame(buffer.GetSpan(ZmtpWriter.FrameSize(frame.Length)), frame, more: false));
    }

    private ZmtpVerdict OnMessage(in ZmtpMessage message)
    {
        ZmtpSubscription subscription = _socket.HasGroups ? default : ZmtpSubscription.From(message);
        ZmtpVerdict verdict = subscription.Kind != ZmtpSubscriptionKind.None ? Change(subscription) : OnUpstream(message);
        if (verdict != ZmtpVerdict.Defer)
        {
            Peer!.CountReceived();
        }

        return verdict;
    }

    // Handles a message that an XSUB sent upstream.
    private ZmtpVerdict OnUpstream(in ZmtpMessage message)
    {
        if (_socket.Options.OnMessage is not { } handler)
        {
            return ZmtpVerdict.Continue;
        }

        if (!handler(Peer!, message))
        {
            return Refused();
        }

        return MustStop ? Stopped() : ZmtpVerdict.Continue;
    }

    private ZmtpVerdict OnCommand(in ZmtpCommand command)
    {
        Span<byte> prefix = stackalloc byte[ZmtpGroup.MaxPrefix];
        ZmtpSubscription subscription = _socket.HasGroups
            ? ZmtpSubscription.FromGroup(command, prefix)
            : ZmtpSubscription.From(command);
        if (subscription.Kind != ZmtpSubscriptionKind.None)
        {
            return Change(subscription);
        }

        return OnCommonCommand(command) ? ZmtpVerdict.Continue : ZmtpVerdict.Abort;
    }

    /// <summary>Passes frames directly from the decoder to the session.</summary>
    private readonly struct Traffic(PublisherSession session) : IZmtpFrameHandler
    {
        public ZmtpVerdict OnMessage(in ZmtpMessage message) => session.OnMessage(message);

        public ZmtpVerdict OnCommand(in ZmtpCommand command) => session.OnCommand(command);
    }
}
