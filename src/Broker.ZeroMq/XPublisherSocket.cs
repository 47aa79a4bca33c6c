using System.Text;
using Broker.ZeroMq.Publishing;
using Broker.ZeroMq.Queues;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq;

/// <summary>
/// XPUB: publishes as <see cref="PublisherSocket"/> does, and receives what is subscribed to: messages of one frame, 1 and the prefix for a
/// subscription, 0 and the prefix for a cancellation, and whatever else XSUB peers send upstream (RFC 29).
/// </summary>
/// <remarks>
/// What a peer leaves behind when it is gone is received as cancellations. While the subscriptions that wait to be received are at
/// <see cref="ZeroMqSocketOptions.ReceiveHighWaterMark"/>, peers that say more are read no further.
/// </remarks>
public sealed class XPublisherSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    private readonly LoopPublisher _socket;
    private readonly SubscriptionFeed _feed;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="XPublisherSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public XPublisherSocket(XPublisherSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        RefuseConflation();
        options ??= new XPublisherSocketOptions();
        var sink = new CopySink(MakeInbound());
        _feed = new SubscriptionFeed(options, sink, ResumeAll);
        _socket = new LoopPublisher(Context.Loops, options.ForLoops() with
        {
            AnnounceExtended = true,
            NoDrop = options.NoDrop,
            Manual = options.Manual,
            WelcomeMessage = options.WelcomeMessage,
            OnInterest = options.Manual ? null : _feed.OnInterest,
            OnSubscription = _feed.OnSubscription,
            OnMessage = sink.TryTake,
        })
        {
            OnPeerGone = sink.Forget,
        };
        var outbound = MakeOutbound(new OneByOneSender(Publish), isOpen: true);
        _socket.OnWritable = () => Loop.Run(outbound.Resume);
        Serve(_socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;

    /// <inheritdoc/>
    public bool HasMessages => CanReceive;

    /// <summary>Messages that subscribers should have got and did not, each counted for each of them. A moment's truth.</summary>
    public long MessagesDropped => _socket.MessagesDropped;

    /// <summary>
    /// Lets a peer of a manual socket have what begins with the prefix. <see cref="ZeroMqMessage.Peer"/> of what was received says which.
    /// Takes effect at once, or as the peer's loop comes to it; a peer that is gone gets nothing.
    /// </summary>
    /// <exception cref="InvalidOperationException">The socket is not manual, or the peer is another's.</exception>
    public void Subscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => _socket.Subscribe(peer, prefix);

    /// <summary>As the other one, with a prefix in UTF-8.</summary>
    public void Subscribe(ZeroMqPeer peer, string prefix) => _socket.Subscribe(peer, Encoding.UTF8.GetBytes(prefix));

    /// <summary>Takes back what <see cref="Subscribe(ZeroMqPeer, ReadOnlySpan{byte})"/> gave.</summary>
    public void Unsubscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => _socket.Unsubscribe(peer, prefix);

    /// <summary>As the other one, with a prefix in UTF-8.</summary>
    public void Unsubscribe(ZeroMqPeer peer, string prefix) => _socket.Unsubscribe(peer, Encoding.UTF8.GetBytes(prefix));

    private bool Publish(ReadOnlySpan<byte> message) =>
        _socket.PublishEncoded(Loop, EncodedMessage.SplitFrame(message, out _, out _), message) >= 0;

    private void ResumeAll()
    {
        foreach (var peer in _socket.Peers)
        {
            peer.Session.Loop.Post(peer.Session.Resume);
        }
    }
}
