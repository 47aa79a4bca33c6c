using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Subscribing;

/// <summary>A publisher, seen from the subscriber.</summary>
internal sealed class SubscriberSession : PeerSession
{
    private readonly SubscriberSocket _socket;
    private readonly LoopSubscriptions _subscriptions;

    internal SubscriberSession(SubscriberSocket socket, EventLoop loop, string endpoint, OutgoingLink? link)
        : base(socket, loop, endpoint, link)
    {
        _socket = socket;
        _subscriptions = socket.SubscriptionsOf(loop);
    }

    /// <summary>Tells the publisher of a change, in the form its version understands.</summary>
    internal void Tell(ReadOnlySpan<byte> prefix, bool subscribe)
    {
        bool asCommand = Peer!.Zmtp.UsesSubscribeCommands;
        var stage = Stage;
        var destination = stage.GetSpan(ZmtpCommandWriter.SubscriptionSize(prefix.Length, subscribe, asCommand));
        stage.Advance(ZmtpCommandWriter.WriteSubscription(destination, prefix, subscribe, asCommand));
    }

    private protected override void Configure(Connection connection)
    {
        connection.MaxPendingBytes = _socket.Options.MaxPendingBytes;
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
    }

    private protected override void OnTaken() => _subscriptions.Add(this);

    private protected override void OnGone() => _subscriptions.Remove(this);

    private protected override ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes)
    {
        var traffic = new Traffic(this);
        return _decoder.Decode(bytes, ref traffic);
    }

    private ZmtpVerdict OnMessage(in ZmtpMessage message)
    {
        var peer = Peer!;
        peer.CountReceived();
        if (!_subscriptions.Matches(message.FirstFrame.Body))
        {
            peer.CountFiltered();
            return ZmtpVerdict.Continue;
        }

        _socket.OnMessage(peer, message);

        // The handler may have closed the peer.
        return IsOver ? ZmtpVerdict.Abort : ZmtpVerdict.Continue;
    }

    private ZmtpVerdict OnCommand(in ZmtpCommand command) =>
        OnCommonCommand(command) ? ZmtpVerdict.Continue : ZmtpVerdict.Abort;

    /// <summary>The decoder's direct way to the session.</summary>
    private readonly struct Traffic(SubscriberSession session) : IZmtpFrameHandler
    {
        public ZmtpVerdict OnMessage(in ZmtpMessage message) => session.OnMessage(message);

        public ZmtpVerdict OnCommand(in ZmtpCommand command) => session.OnCommand(command);
    }
}
