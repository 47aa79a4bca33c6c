using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;
using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

/// <summary>A subscriber, seen from the publisher.</summary>
internal sealed partial class PublisherSession : PeerSession
{
    private readonly LoopPublisher _socket;

    internal PublisherSession(LoopPublisher socket, EventLoop loop, string endpoint, OutgoingLink? link)
        : base(socket, loop, endpoint, link)
    {
        var options = socket.Options;
        _socket = socket;
        _highWaterMark = options.HighWaterMark;
        _subscriptions = new PrefixSubscriptions(options.MaxSubscriptionsPerPeer, options.MaxSubscriptionBytesPerPeer);
        _asked = options.Manual
            ? new PrefixSubscriptions(options.MaxSubscriptionsPerPeer, options.MaxSubscriptionBytesPerPeer)
            : null;
        _searches = new long[socket.Loops.Count];
        if (options.HighWaterMessages > 0)
        {
            _mark = new MessageMark(options.HighWaterMessages, socket.Loops.Count);
        }
    }

    // Who takes nothing does not come to the PING behind it. It loses messages and keeps its place, unless it was told otherwise.
    private protected override bool IsSilenceOurs => Connection.PendingBytes > 0;

    private protected override bool MayAnswer => Connection.HeldBytes < _highWaterMark;

    private protected override void Configure(Connection connection)
    {
        // The high-water mark bounds the queue; the transport must not end what is merely slow.
        connection.MaxPendingBytes = long.MaxValue;
        connection.WriteDeadline = _socket.Options.StalledPeerTimeout;
    }

    private protected override void OnTaken()
    {
        _socket.Add(this);
        if (!_socket.Options.WelcomeMessage.IsEmpty)
        {
            Welcome(_socket.Options.WelcomeMessage.Span);
        }
    }

    private protected override void OnGone()
    {
        _isGone = true;
        _socket.Remove(this);
        _socket.OnPeerGone?.Invoke(Peer!);

        // Whoever keeps the peer for its counters must not keep what it had subscribed to.
        var left = _subscriptions;
        var asked = _asked;
        _subscriptions = new PrefixSubscriptions(0, 0);
        _asked = null;
        _newest?.Drop();
        TellOfRoom();
        LeavingPeer.Start(_socket, this, left, asked, _held);
    }

    private protected override ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes)
    {
        _changes = 0;
        var traffic = new Traffic(this);
        return _decoder.Decode(bytes, ref traffic);
    }

    private void Welcome(ReadOnlySpan<byte> frame)
    {
        var stage = Stage;
        stage.Advance(ZmtpWriter.WriteFrame(stage.GetSpan(ZmtpWriter.FrameSize(frame.Length)), frame, more: false));
    }

    private ZmtpVerdict OnMessage(in ZmtpMessage message)
    {
        var subscription = ZmtpSubscription.From(message);
        var verdict = subscription.Kind != ZmtpSubscriptionKind.None ? Change(subscription) : OnUpstream(message);
        if (verdict != ZmtpVerdict.Hold)
        {
            Peer!.CountReceived();
        }

        return verdict;
    }

    // What an XSUB sends upstream.
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
        var subscription = ZmtpSubscription.From(command);
        if (subscription.Kind != ZmtpSubscriptionKind.None)
        {
            return Change(subscription);
        }

        return OnCommonCommand(command) ? ZmtpVerdict.Continue : ZmtpVerdict.Abort;
    }

    /// <summary>The decoder's direct way to the session.</summary>
    private readonly struct Traffic(PublisherSession session) : IZmtpFrameHandler
    {
        public ZmtpVerdict OnMessage(in ZmtpMessage message) => session.OnMessage(message);

        public ZmtpVerdict OnCommand(in ZmtpCommand command) => session.OnCommand(command);
    }
}
